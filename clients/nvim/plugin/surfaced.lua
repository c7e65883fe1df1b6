if vim.g.loaded_surfaced then
  return
end
vim.g.loaded_surfaced = true

--- The item that a command means: its words, else the selection, else a shell; in the directory of the current file.
local function item(command, words, layout)
  local surfaced = require("surfaced")
  local line = words
  if line == "" and command.range > 0 then
    line = require("surfaced.selection").text(command.line1, command.line2)
  end
  return { cwd = surfaced.directory(), layout = layout, shellCommand = line ~= "" and line or nil }
end

vim.api.nvim_create_user_command("SurfacedOpen", function(command)
  require("surfaced").open({ item(command, command.args, "tab") })
end, { nargs = "*", range = true, complete = "shellcmd", desc = "Open a command, the selection or a shell in your terminal" })

vim.api.nvim_create_user_command("SurfacedSplit", function(command)
  local side, rest = command.args:match("^(%l+)%s*(.*)$")
  if side ~= "right" and side ~= "down" then
    side, rest = "right", command.args
  end
  require("surfaced").open({ item(command, rest, "split-" .. side) })
end, {
  nargs = "*",
  range = true,
  complete = function(lead)
    return vim.tbl_filter(function(side)
      return vim.startswith(side, lead)
    end, { "right", "down" })
  end,
  desc = "The same beside the pane you are in: [right|down] [COMMAND]",
})
