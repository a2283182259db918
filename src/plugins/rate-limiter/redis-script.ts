/** Lua scripts that run in Redis, on its clock: the ring of ring.ts, and the epoch of the data. */

/**
 * Checks the limits of several requests, one after the other. Charges all limits of a request when all admit.
 *
 * KEYS: all keys once, then the epoch key of the gateway. ARGV: the epoch ("" to skip its check), "1" to set the
 * epoch key when it is missing or older, a JSON array with the requests, then each limit and its window in seconds, which
 * are the same for all requests. A request is its number of requests to charge (0 to check for one), then the index of its
 * key for each limit. Returns for each request 1 when it is admitted, then for each limit its usage and the microseconds
 * until the next slot becomes available. Returns -1 and charges nothing when the epoch key has another value, because
 * Redis may have lost data.
 */
export const limiterScript = (clock = SERVER_CLOCK): string => `
${clock}
${RING}
local held = redis.call('MGET', unpack(KEYS))
local epoch, current = ARGV[1], held[#KEYS]
if epoch ~= '' and current ~= epoch then
  if ARGV[2] ~= '1' or (current and current > epoch) then return { -1 } end
  redis.call('SET', KEYS[#KEYS], epoch, 'EX', 86400)
end
local limits, widths, count = {}, {}, (#ARGV - 3) / 2
for i = 1, count do
  limits[i], widths[i] = tonumber(ARGV[2 * i + 2]), ARGV[2 * i + 3] * 15625
end

local rings, result, size = {}, {}, 0
local requests = cjson.decode(ARGV[3])
for start = 1, #requests, count + 1 do
  local wanted, admitted = requests[start], 1
  local cost = wanted > 1 and wanted or 1
  for i = 1, count do
    local key = requests[start + i]
    local ring = rings[key]
    if not ring then
      ring = read(held[key], widths[i])
      rings[key] = ring
    end
    if ring.total + cost > limits[i] then admitted = 0 end
  end
  size = size + 1
  result[size] = admitted
  for i = 1, count do
    local ring, limit = rings[requests[start + i]], limits[i]
    if admitted == 0 then
      limit = math.max(1, limit - cost + 1)
    elseif wanted > 0 then
      charge(ring, wanted)
    end
    result[size + 1], result[size + 2] = ring.total, frees_in(ring, limit)
    size = size + 2
  end
end
for key, ring in pairs(rings) do
  if ring.charged > 0 or ring.turned_back then save(ring, KEYS[key]) end
end
return result
`;

/**
 * Adds requests that were admitted earlier. KEYS: subjects of one window. ARGV: the window in seconds,
 * then for each key the number of slots, and for each slot its age in microseconds and its count.
 */
export const chargeScript = (clock = SERVER_CLOCK): string => `
${clock}
${RING}
local function add(ring, part, count)
  if part < ring.part - 64 then return end
  local from = place(part)
  ring.held = ring.held:sub(1, from) .. pack('<I4', at(ring, part) + count) .. ring.held:sub(from + 5)
  if ring.total == 0 or part < ring.oldest then ring.oldest = part end
  ring.total = ring.total + count
  ring.rewrite = true
end

local width, next_arg = ARGV[1] * 15625, 2
local held = redis.call('MGET', unpack(KEYS))
for i = 1, #KEYS do
  local ring = read(held[i], width)
  local slots = tonumber(ARGV[next_arg])
  for slot = 1, slots do
    local age, count = ARGV[next_arg + 2 * slot - 1], tonumber(ARGV[next_arg + 2 * slot])
    add(ring, math.floor((ring.last - age) / width), count)
  end
  next_arg = next_arg + 1 + 2 * slots
  save(ring, KEYS[i])
end
return 1
`;

/**
 * Reads the epoch, or starts one when Redis has none, because it lost its data or is new. ARGV: the
 * epoch that the node knows, "1" while the node is still charging what it admitted, and the grace
 * period in microseconds. Returns the epoch and the microseconds until requests may be admitted in it.
 */
export const epochScript = (clock = SERVER_CLOCK): string => `
${clock}
local grace = tonumber(ARGV[3])
local found = redis.call('HMGET', KEYS[1], 'id', 'opens')
local id, opens = found[1], tonumber(found[2])
if not id then
  local known = tonumber(ARGV[1]) or 0
  id = string.format('%017.0f', math.max(now, known + 1))
end
-- A clock that was set back must not keep the epoch closed.
if not opens or ARGV[2] == '1' or opens > now + grace then opens = now + grace end
redis.call('HSET', KEYS[1], 'id', id, 'opens', string.format('%.0f', opens))
redis.call('EXPIRE', KEYS[1], 86400)
return { id, math.max(0, opens - now) }
`;

/**
 * A value contains last, lag, oldest (doubles), total and 65 cells (32 bits each). `last` is the time of the last
 * charge, and `lag` how far the clock was set back since the key was created: time continues from `last`, so that
 * a clock that is set back frees no slot early, and delays none by more than one window.
 *
 * The oldest part of a value with requests is never empty. A charge in the part of the last charge writes only the start
 * of the value, up to its cell; the first charge of a part writes all of it and renews the expiry, which covers the part.
 */
const RING = `local pack, unpack_from, floor = struct.pack, struct.unpack, math.floor
local HEAD, HEAD_BYTES = '<dddI4', 28

local function place(part)
  return HEAD_BYTES + part % 65 * 4
end

local function at(ring, part)
  local count = unpack_from('<I4', ring.held, place(part) + 1)
  return part == ring.part and count + ring.charged or count
end

local function empty()
  return string.rep('\0', HEAD_BYTES + 260)
end

local function expire(ring)
  while ring.total > 0 and (ring.oldest < ring.part - 64 or at(ring, ring.oldest) == 0) do
    local from = place(ring.oldest)
    ring.total = ring.total - at(ring, ring.oldest)
    ring.held = ring.held:sub(1, from) .. '\0\0\0\0' .. ring.held:sub(from + 5)
    ring.oldest = ring.oldest + 1
  end
end

local function read(held, width)
  local before, lag, oldest, total = now, 0, 0, 0
  if held then before, lag, oldest, total = unpack_from(HEAD, held) end
  local turned_back = now + lag < before
  if turned_back then lag = before - now end
  local last = now + lag
  local part = floor(last / width)
  local passed = part - floor(before / width)
  local ring = {
    held = held or empty(), width = width, last = last, lag = lag, oldest = oldest, total = total,
    part = part, charged = 0, rewrite = not held or passed > 0,
  }
  if turned_back then ring.turned_back = true end
  if passed >= 65 then
    ring.held, ring.total = empty(), 0
  elseif passed > 0 then
    expire(ring)
  end
  return ring
end

local function charge(ring, count)
  if ring.total == 0 then ring.oldest = ring.part end
  ring.total = ring.total + count
  ring.charged = ring.charged + count
end

local function save(ring, key)
  local held, from = ring.held, place(ring.part)
  local start = pack(HEAD, ring.last, ring.lag, ring.oldest, ring.total)
    .. held:sub(HEAD_BYTES + 1, from) .. pack('<I4', at(ring, ring.part))
  if ring.rewrite then
    redis.call('SET', key, start .. held:sub(from + 5), 'PX', math.ceil(ring.width * 65 / 1000))
  else
    redis.call('SETRANGE', key, '0', start)
  end
end

local function frees_in(ring, limit)
  if ring.total == 0 then return 0 end
  local over, part = ring.total - limit, ring.oldest
  if over > 0 then
    while at(ring, part) <= over do
      over, part = over - at(ring, part), part + 1
    end
  end
  return math.max(0, (part + 65) * ring.width - ring.last)
end
`;

/** In microseconds: a part of a window of one second is 15,625 µs. */
const SERVER_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;
