-- What was found out about texts, by the text or a number of it: the newer half, and of
-- the older one what is still asked for. Tables alone: lrucache puts what it finds at
-- the front of a list, and to reach that in memory costs each request more than to
-- find it.

local _M = {}
local Remembered = { __index = _M }

-- Remembers about so many, and never more.
function _M.new(max_count)
    return setmetatable({
        newer = {}, older = {}, newer_count = 0, half = max_count / 2,
    }, Remembered)
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

-- Nil if nothing is remembered; false is a value.
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
