--- The client: it connects when it is first asked, and again after the connection was lost.
local Connection = require("surfaced.connection")
local locate = require("surfaced.locate")

local uv = vim.uv or vim.loop

local Client = {}
Client.__index = Client

--- The protocol that this was written for; a daemon one version older or newer is fine.
local PROTOCOL = 1

--- Options: `socket` (one daemon, which is then never started), `program`, `hello_timeout_ms`.
function Client.new(options)
  return setmetatable({ options = options or {}, waiting = nil, connection = nil }, Client)
end

--- Asks and calls back with an error or the result. Returns a function that cancels.
function Client:request(method, params, callback, on_item)
  local cancel
  local cancelled = false
  self:_connected(nil, function(err, connection)
    if cancelled then
      return
    end
    if err then
      return callback(err)
    end
    cancel = connection:request(method, params or {}, function(failure, result)
      if not failure or failure.kind ~= "shutting-down" or self:_fixed() then
        return callback(failure, result)
      end
      -- It refused the work and goes: its successor can do it, and `surfaced ensure` waits for that.
      self:_connected(connection, function(again, successor)
        if again then
          return callback(again)
        end
        cancel = successor:request(method, params or {}, callback, on_item)
      end)
    end, on_item)
  end)
  return function()
    cancelled = true
    if cancel then
      cancel()
    end
  end
end

function Client:close()
  if self.connection then
    self.connection:close()
  end
end

function Client:_fixed()
  local socket = self.options.socket or vim.env.SURFACED_SOCKET
  return socket ~= "" and socket or nil
end

--- Callers at the same time share one attempt.
function Client:_connected(instead_of, callback)
  local known = self.connection
  if known and not known.closed and known ~= instead_of then
    return callback(nil, known)
  end
  if self.waiting then
    return table.insert(self.waiting, callback)
  end
  self.waiting = { callback }
  local done = function(err, connection)
    self.connection = connection
    local waiting = self.waiting
    self.waiting = nil
    for _, one in ipairs(waiting) do
      one(err, connection)
    end
  end
  if instead_of then
    self:_successor(done)
  else
    self:_dial(done)
  end
end

function Client:_dial(done)
  local fixed = self:_fixed()
  if fixed then
    return self:_greet(fixed, done)
  end
  local recorded = locate.recorded()
  if not recorded then
    return self:_successor(done)
  end
  self:_greet(recorded, function(err, connection, hello)
    if err and not err.absent and err.kind ~= "connection-closed" then
      return done(err)
    end
    if connection and hello.state ~= "draining" then
      return done(nil, connection)
    end
    if connection then
      connection:close()
    end
    self:_successor(done)
  end)
end

function Client:_successor(done)
  locate.ensure(self.options.program or "surfaced", function(err, socket)
    if err then
      return done(err)
    end
    self:_greet(socket, done)
  end)
end

--- Connects, and waits for the answer to `daemon.hello`: only that shows that a daemon lives.
function Client:_greet(path, done)
  Connection.open(path, function(err, connection)
    if err then
      return done(err)
    end
    local timer = uv.new_timer()
    local silent = false
    local params = { client = "surfaced for neovim", protocol = { min = PROTOCOL - 1, max = PROTOCOL + 1 } }
    connection:request("daemon.hello", params, function(failure, hello)
      timer:stop()
      timer:close()
      if failure then
        connection:close()
        if silent then
          failure = { kind = "no-daemon", message = "the daemon at " .. path .. " does not answer", hint = "run: surfaced doctor" }
        end
        return done(failure)
      end
      done(nil, connection, hello)
    end)
    timer:start(
      self.options.hello_timeout_ms or 10000,
      0,
      vim.schedule_wrap(function()
        silent = true
        connection:close()
      end)
    )
  end)
end

return Client
