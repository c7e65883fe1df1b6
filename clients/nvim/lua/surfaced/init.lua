--- surfaced for Neovim: opens commands in the terminal you use. See `:help surfaced`.
local Client = require("surfaced.client")

local M = {}

local options = {}
local client = Client.new(options)

--- Options: `backend`, `packing`, `socket`, `program`. Calling it is not needed.
function M.setup(given)
  client:close()
  options = given or {}
  client = Client.new(options)
end

--- Calls a method: `callback(err, result)`. Returns a function that cancels it.
function M.call(method, params, callback)
  return client:request(method, params, callback)
end

--- Calls a method and waits: returns the result, or nil and the error.
function M.request(method, params, timeout_ms)
  local outcome
  local cancel = client:request(method, params, function(err, result)
    outcome = { err = err, result = result }
  end)
  local limit = timeout_ms or 60000
  vim.wait(limit, function()
    return outcome ~= nil
  end, 5)
  if not outcome then
    cancel()
    return nil, { kind = "timeout", message = method .. " was not answered in " .. limit .. " ms" }
  end
  return outcome.result, outcome.err
end

--- Subscribes: `on_item(item)` for each, the one of type `end` last; `callback(err, unsubscribe)` once.
function M.subscribe(method, params, on_item, callback)
  return client:request(method, params, callback or function() end, on_item)
end

--- Opens items: `callback(err, answer)`. Where `opts` say nothing, those of `setup` count.
function M.open(items, opts, callback)
  local params = vim.tbl_extend("keep", { items = items }, opts or {}, { backend = options.backend, packing = options.packing })
  return M.call("open", params, callback or M.report)
end

--- Tells the person what became of an `open`.
function M.report(err, answer)
  if err then
    return M.complain(err.message, err.hint)
  end
  for _, result in ipairs(answer.results or {}) do
    for _, warning in ipairs(result.warnings or {}) do
      vim.notify("surfaced: " .. warning, vim.log.levels.WARN)
    end
    if not result.ok then
      M.complain(result.error or "the surface did not open", result.hint)
    elseif result.attach then
      vim.notify(result.attach, vim.log.levels.INFO)
    end
  end
end

function M.complain(message, hint)
  vim.notify("surfaced: " .. message .. (hint and ("\nhint: " .. hint) or ""), vim.log.levels.ERROR)
end

--- The directory of the current file; the working directory where it has none.
function M.directory()
  local dir = vim.fn.expand("%:p:h")
  return vim.fn.isdirectory(dir) == 1 and dir or vim.fn.getcwd()
end

return M
