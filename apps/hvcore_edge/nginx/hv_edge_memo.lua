-- A cache in a worker's memory, by a text or a number of it: the newer half of what was
-- found out, and what is still asked for of the older half. It has plain tables, because
-- lrucache moves what it finds to the front of a list: to reach that in memory costs each
-- request more than to find it.

local _M = {}
local Memo = { __index = _M }

-- Holds about so many, and never more.
function _M.new(max_count)
    return setmetatable({
        newer = {}, older = {}, newer_count = 0, half = max_count / 2,
    }, Memo)
end

function _M:set(text, value)
    if self.newer[text] == nil then
        if self.newer_count >= self.half then
            self.older, self.newer, self.newer_count = self.newer, {}, 0
        end
        self.newer_count = self.newer_count + 1
    end
    self.newer[text] = value
end

-- Nil if there is nothing; false is a value.
function _M:get(text)
    local value = self.newer[text]
    if value == nil then
        value = self.older[text]
        if value ~= nil then
            self:set(text, value)
        end
    end
    return value
end

return _M
