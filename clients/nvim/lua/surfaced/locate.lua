--- Where the daemon is, and how it is started.
local M = {}

local uv = vim.uv or vim.loop

--- The daemon's home: `$SURFACED_HOME`, else a place under the home directory of the password database.
function M.home()
  local given = vim.env.SURFACED_HOME
  if given and given ~= "" then
    return given
  end
  local person = uv.os_get_passwd().homedir
  if uv.os_uname().sysname == "Darwin" then
    return person .. "/Library/Application Support/surfaced"
  end
  return person .. "/.local/state/surfaced"
end

--- The socket that the last daemon of this home wrote down. It may be gone.
function M.recorded()
  local file = io.open(M.home() .. "/daemon.json")
  if not file then
    return nil
  end
  local ok, record = pcall(vim.json.decode, file:read("*a"))
  file:close()
  return ok and type(record) == "table" and record.socket or nil
end

--- Starts the daemon where none answers, waits out a drain, and calls back with an error or the socket.
function M.ensure(program, callback)
  local out, err = {}, {}
  local ok, job = pcall(vim.fn.jobstart, { program, "ensure", "--json" }, {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines)
      out = lines
    end,
    on_stderr = function(_, lines)
      err = lines
    end,
    on_exit = function(_, status)
      local said = {}
      for _, line in ipairs(err) do
        local label, text = line:match("^(%l+): (.*)$")
        if label then
          said[label] = text
        end
      end
      local read, place = pcall(vim.json.decode, table.concat(out, "\n"))
      if status == 0 and read and place.socket then
        return callback(nil, place.socket)
      end
      callback({
        kind = "no-daemon",
        message = said.error or (program .. " ensure failed: " .. vim.trim(table.concat(err, "\n"))),
        hint = said.hint or "run: surfaced doctor",
      })
    end,
  })
  if not ok or job <= 0 then
    callback({
      kind = "no-daemon",
      message = "no daemon answers and " .. program .. " is not on PATH",
      hint = "install surfaced, or give its path: require('surfaced').setup({ program = … })",
    })
  end
end

return M
