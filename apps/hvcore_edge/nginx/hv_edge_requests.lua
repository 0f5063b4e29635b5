-- The address, the headers and the number of a request, read and written where nginx
-- has them: a string that is made for each request is garbage afterwards.

local bit = require "bit"
local base = require "resty.core.base"
local ffi = require "ffi"

ffi.cdef [[
void *memchr(const void *text, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);
int RAND_bytes(unsigned char *buffer, int length);
]]

local C = ffi.C
local QUESTION_MARK = ("?"):byte()
local TOKEN = "?token="
local IDS_AT_ONCE, ID_BYTES, ID_DIGITS = 256, 16, 32
local ADDRESS, ADDRESS_LENGTH = "request_uri", #"request_uri"
local ID_VARIABLE, ID_VARIABLE_LENGTH = "hv_id", #"hv_id"
-- A request with more is no player's, and the service may refuse it.
local MAX_HEADERS = 1000
-- Headers that matter, by their first byte: those of a range, of conditions, and of
-- "100 Continue", which would count as bytes of the body, and of a body: nginx may wait
-- for it before it says that the request has ended.
local R, I, E, F, L, T = ("riefct"):byte(1, 6)
local RANGE, EXPECT = "range", "expect"
local CONTENT_LENGTH, TRANSFER_ENCODING = "content-length", "transfer-encoding"
local IF_NONE_MATCH, IF_MODIFIED_SINCE = "if-none-match", "if-modified-since"

local _M = {}

local value, length = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
local message, message_length = ffi.new("char *[1]"), ffi.new("size_t[1]")
local headers = ffi.new("ngx_http_lua_ffi_table_elt_t[?]", MAX_HEADERS)
local is_truncated = ffi.new("int[1]")
local lowered = ffi.new("unsigned char[32]")
local error_text = ffi.new("unsigned char[256]")
local random = ffi.new("unsigned char[?]", IDS_AT_ONCE * ID_BYTES)
local digits = ffi.new("unsigned char[?]", IDS_AT_ONCE * ID_DIGITS)
local ids_used = IDS_AT_ONCE
local HEX_DIGITS = ffi.new("unsigned char[17]", "0123456789abcdef")

-- The path of an address as it was sent, whether it has a query, and if that begins with
-- "?token=", where in memory that is which follows, and how many bytes it has: so long
-- as nothing is waited for.
function _M.address()
    local request = base.get_request()
    if C.ngx_http_lua_ffi_var_get(request, ADDRESS, ADDRESS_LENGTH, lowered, 0,
                                  value, length, message) ~= 0 then
        error("a request without an address")
    end
    local text, address_bytes = value[0], tonumber(length[0])
    local question = ffi.cast(
        "unsigned char *", C.memchr(text, QUESTION_MARK, address_bytes))
    if question == nil then
        return ffi.string(text, address_bytes), false, nil, 0
    end
    local before = tonumber(question - text)
    local path = ffi.string(text, before)
    local after = address_bytes - before - #TOKEN
    if after > 0 and C.memcmp(question, TOKEN, #TOKEN) == 0 then
        return path, true, question + #TOKEN, after
    end
    return path, true, nil, 0
end

local function is_name(text, size, name)
    return size == #name and C.memcmp(text, name, #name) == 0
end

-- What a request's headers ask for: false if it is all of what the address names, true
-- if it may be a part, or whether it is known; nil if nginx and the service may differ.
-- Of conditions for that even an empty one counts: nginx refuses what does not match.
function _M.asks()
    local request = base.get_request()
    local count = C.ngx_http_lua_ffi_req_get_headers_count(
        request, MAX_HEADERS, is_truncated)
    if count < 0 or is_truncated[0] ~= 0
        or C.ngx_http_lua_ffi_req_get_headers(request, headers, count, 0) ~= 0 then
        return nil
    end
    local has_conditions = false
    for at = 0, count - 1 do
        local text, size = headers[at].key.data, headers[at].key.len
        local first = text[0]
        if first == I and size > 2 and text[1] == F then
            if is_name(text, size, IF_NONE_MATCH) then
                has_conditions = has_conditions or headers[at].value.len > 0
            elseif not is_name(text, size, IF_MODIFIED_SINCE) then
                return nil
            end
        elseif first == R and is_name(text, size, RANGE) then
            has_conditions = has_conditions or headers[at].value.len > 0
        elseif first == E and is_name(text, size, EXPECT)
            or first == L and is_name(text, size, CONTENT_LENGTH)
            or first == T and is_name(text, size, TRANSFER_ENCODING) then
            return nil
        end
    end
    return has_conditions
end

-- Randomness for some hundred numbers, where nginx's $request_id asks for that of one.
local function make_ids()
    assert(C.RAND_bytes(random, IDS_AT_ONCE * ID_BYTES) == 1)
    for at = 0, IDS_AT_ONCE * ID_BYTES - 1 do
        local byte = random[at]
        digits[2 * at] = HEX_DIGITS[bit.rshift(byte, 4)]
        digits[2 * at + 1] = HEX_DIGITS[bit.band(byte, 15)]
    end
    ids_used = 0
end

-- Gives the request a number of 32 digits that no other one has.
function _M.number()
    if ids_used >= IDS_AT_ONCE then
        make_ids()
    end
    local at = ids_used * ID_DIGITS
    ids_used = ids_used + 1
    message_length[0] = 256
    if C.ngx_http_lua_ffi_var_set(base.get_request(), ID_VARIABLE, ID_VARIABLE_LENGTH,
                                  lowered, digits + at, ID_DIGITS, error_text,
                                  message_length) ~= 0 then
        error("a request without a number")
    end
end

return _M
