--- What a command's range means as text.
local M = {}

--- The lines of a range; where it is the visual selection, exactly what was selected.
function M.text(first, last)
  local lines = vim.api.nvim_buf_get_lines(0, first - 1, last, false)
  local start, stop = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  local mode = vim.fn.visualmode()
  if start[2] ~= first or stop[2] ~= last or mode == "V" or mode == "" then
    return table.concat(lines, "\n")
  end
  -- The end is the first byte of its character; "selection" may leave that character out.
  local function upto(line)
    local character = vim.fn.matchstr(line:sub(stop[3]), "^.")
    return stop[3] - 1 + (vim.o.selection == "exclusive" and 0 or #character)
  end
  if mode == "v" then
    lines[#lines] = lines[#lines]:sub(1, upto(lines[#lines]))
    lines[1] = lines[1]:sub(start[3])
  else
    for index, line in ipairs(lines) do
      lines[index] = line:sub(start[3], upto(line))
    end
  end
  return table.concat(lines, "\n")
end

return M
