/** Lua scripts that run in Redis, on its clock: the ring of ring.ts, and the epoch of the data. */

/**
 * Checks all limits of a request, and charges them when all admit.
 *
 * KEYS: one for each limit, then the epoch key of the gateway. ARGV: the number of requests to charge (0 to
 * check for one), the epoch ("" to skip its check), "1" to set the epoch key when it is missing or older, then
 * the limit and the window in seconds of each limit. Returns 1 when admitted, then for each limit its usage and the
 * microseconds until the next slot becomes available. Returns -1 and charges nothing when the epoch key has another
 * value, because Redis may have lost data.
 */
export const limiterScript = (clock = SERVER_CLOCK): string => `
${clock}
${RING}
local held = redis.call('MGET', unpack(KEYS))
local epoch, current = ARGV[2], held[#KEYS]
if epoch ~= '' and current ~= epoch then
  if ARGV[3] ~= '1' or (current and current > epoch) then return { -1 } end
  redis.call('SET', KEYS[#KEYS], epoch, 'EX', 86400)
end
local rings, admitted = {}, 1
local wanted = tonumber(ARGV[1])
local cost = math.max(1, wanted)
for i = 1, #KEYS - 1 do
  rings[i] = read(held[i], ARGV[2 * i + 3] * 15625)
  if rings[i].total + cost > tonumber(ARGV[2 * i + 2]) then admitted = 0 end
end

local charge = admitted == 1 and wanted or 0
local result = { admitted }
for i = 1, #KEYS - 1 do
  local ring, limit, width = rings[i], tonumber(ARGV[2 * i + 2]), ARGV[2 * i + 3] * 15625
  if charge > 0 or ring.turned_back then save(ring, KEYS[i], width, charge) end
  result[2 * i] = ring.total
  if admitted == 0 then limit = math.max(1, limit - cost + 1) end
  result[2 * i + 1] = frees_in(ring, limit, width)
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
  save(ring, KEYS[i], width, 0)
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
 */
const RING = `local pack, unpack_from = struct.pack, struct.unpack
local HEAD, HEAD_BYTES = '<dddI4', 28

local function place(part)
  return HEAD_BYTES + part % 65 * 4
end

local function at(ring, part)
  return (unpack_from('<I4', ring.held, place(part) + 1))
end

local function clear(ring, part)
  local from = place(part)
  ring.held = ring.held:sub(1, from) .. '\0\0\0\0' .. ring.held:sub(from + 5)
end

local function read(held, width)
  local ring = { held = held or string.rep('\0', HEAD_BYTES + 260) }
  ring.last, ring.lag, ring.oldest, ring.total = unpack_from(HEAD, ring.held)
  if not held then ring.last = now end
  local before = math.floor(ring.last / width)
  if now + ring.lag < ring.last then
    ring.lag, ring.turned_back = ring.last - now, true
  end
  ring.last = now + ring.lag
  ring.part = math.floor(ring.last / width)
  if ring.part - before >= 65 then
    ring.held, ring.total = string.rep('\0', HEAD_BYTES + 260), 0
  end
  while ring.total > 0 and (ring.oldest < ring.part - 64 or at(ring, ring.oldest) == 0) do
    local expired = at(ring, ring.oldest)
    if expired > 0 then
      ring.total = ring.total - expired
      clear(ring, ring.oldest)
    end
    ring.oldest = ring.oldest + 1
  end
  return ring
end

local function save(ring, key, width, charge)
  if charge > 0 and ring.total == 0 then ring.oldest = ring.part end
  local count = at(ring, ring.part) + charge
  ring.total = ring.total + charge
  local from = place(ring.part)
  ring.held = pack(HEAD, ring.last, ring.lag, ring.oldest, ring.total)
    .. ring.held:sub(HEAD_BYTES + 1, from) .. pack('<I4', count) .. ring.held:sub(from + 5)
  redis.call('SET', key, ring.held, 'PX', math.ceil(width * 65 / 1000))
end

local function frees_in(ring, limit, width)
  if ring.total == 0 then return 0 end
  local over, part = math.max(0, ring.total - limit), ring.oldest
  while at(ring, part) <= over do
    over, part = over - at(ring, part), part + 1
  end
  return math.max(0, (part + 65) * width - ring.last)
end
`;

/** In microseconds: a part of a window of one second is 15,625 µs. */
const SERVER_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;
