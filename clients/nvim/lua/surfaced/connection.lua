--- One connection: JSON-RPC, a message a line, over a pipe. Callbacks run in the main loop.
---
--- An error is a table with `kind`, `message` and perhaps `code`, `hint`, `path`, `detail`.
local uv = vim.uv or vim.loop

local Connection = {}
Connection.__index = Connection

--- The method that ends a subscription of another.
local ENDS = {
  ["open.subscribe"] = "open.unsubscribe",
  ["events.subscribe"] = "events.unsubscribe",
  ["terminal.attach"] = "terminal.detach",
}

--- A message, a line. Raises an error for what JSON has no word for.
local function encode(message)
  message.jsonrpc = "2.0"
  if message.params and next(message.params) == nil then
    message.params = vim.empty_dict()
  end
  return vim.json.encode(message) .. "\n"
end

--- Connects and calls back with an error or the connection.
function Connection.open(path, callback)
  local self = setmetatable({ pipe = uv.new_pipe(false), pending = {}, sinks = {}, pieces = {}, last_id = 0 }, Connection)
  local connected = vim.schedule_wrap(function(err)
    if err then
      self.pipe:close()
      return callback({
        kind = "no-daemon",
        message = "nothing answers at " .. path,
        hint = "run: surfaced ensure",
        absent = true,
      })
    end
    self.pipe:read_start(vim.schedule_wrap(function(broken, chunk)
      if chunk then
        self:_feed(chunk)
      else
        self:close(broken and "the connection to the daemon broke" or "the daemon closed the connection")
      end
    end))
    callback(nil, self)
  end)
  local ok = pcall(self.pipe.connect, self.pipe, path, connected)
  if not ok then
    connected("it is too long")
  end
end

--- Asks and calls back with an error or the result. Returns a function that cancels.
---
--- With `on_item` it subscribes: items go there as they come, the one of type `end` last; the result is a function that
--- unsubscribes.
function Connection:request(method, params, callback, on_item)
  if self.closed then
    callback({ kind = "connection-closed", message = self.closed })
    return function() end
  end
  self.last_id = self.last_id + 1
  local id = self.last_id
  local ok, line = pcall(encode, { id = id, method = method, params = params })
  if not ok then
    -- Nobody waits for an answer yet: there would be none.
    callback({ kind = "invalid-params", message = "the parameters of " .. method .. " are not JSON: " .. line })
    return function() end
  end
  self.pending[id] = { method = method, callback = callback, on_item = on_item }
  self.pipe:write(line)
  return function()
    local pending = self.pending[id]
    if pending and pending.callback then
      pending.callback = nil
      self:_send({ method = "$/cancelRequest", params = { id = id } })
    end
  end
end

--- Ends the connection; what is pending fails.
function Connection:close(message)
  if self.closed then
    return
  end
  self.closed = message or "the connection was closed"
  self.pipe:close()
  local pending, sinks = self.pending, self.sinks
  self.pending, self.sinks = {}, {}
  for _, one in pairs(pending) do
    if one.callback then
      one.callback({ kind = "connection-closed", message = self.closed .. " before it answered " .. one.method })
    end
  end
  for _, sink in pairs(sinks) do
    sink({ type = "end", reason = "connection-closed" })
  end
end

function Connection:_send(message)
  if not self.closed then
    self.pipe:write(encode(message))
  end
end

function Connection:_feed(chunk)
  local start = 1
  while true do
    local stop = chunk:find("\n", start, true)
    if not stop then
      break
    end
    table.insert(self.pieces, chunk:sub(start, stop - 1))
    local line = table.concat(self.pieces)
    self.pieces = {}
    start = stop + 1
    local ok, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
    if not ok or type(message) ~= "table" then
      return self:close("the daemon sent something that is not JSON")
    end
    self:_receive(message)
  end
  if start <= #chunk then
    table.insert(self.pieces, chunk:sub(start))
  end
end

function Connection:_receive(message)
  if message.method then
    return self:_item(message.params or {})
  end
  local pending = self.pending[message.id]
  if not pending then
    return
  end
  self.pending[message.id] = nil
  local result = message.result
  local subscription = ENDS[pending.method] and type(result) == "table" and result.subscription
  local unsubscribe = function()
    if self.sinks[subscription] or not pending.callback then
      self.sinks[subscription] = nil
      self:request(ENDS[pending.method], { subscription = subscription }, function() end)
    end
  end
  if not pending.callback then
    -- It crossed its cancellation; a subscription that nobody holds is ended.
    return subscription and unsubscribe()
  end
  if message.error then
    local data = message.error.data or {}
    return pending.callback({
      kind = data.kind or "internal",
      message = message.error.message or "the daemon sent an error without a message",
      code = message.error.code,
      hint = data.hint,
      path = data.path,
      detail = data.detail,
    })
  end
  if subscription and pending.on_item then
    self.sinks[subscription] = pending.on_item
    return pending.callback(nil, unsubscribe)
  end
  pending.callback(nil, result)
end

function Connection:_item(params)
  local sink = self.sinks[params.subscription]
  if not sink then
    return
  end
  if params.result.type == "end" then
    self.sinks[params.subscription] = nil
  end
  sink(params.result)
end

return Connection
