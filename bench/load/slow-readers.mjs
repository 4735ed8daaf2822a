// Readers that read the whole collection at the speed of a slow network: a server without
// back-pressure keeps the unread part in memory.

import { Socket } from 'node:net'
import { openConnection } from './connection.mjs'
import { getAll, getAnyItem } from './requests.mjs'
import { residentBytes } from './resident-bytes.mjs'

const READERS = 8
const BYTES_PER_SECOND = 100_000
const SIPS_PER_SECOND = 10
/** On a busy machine the first bytes may come late. */
const MAX_SECONDS = 30

/** @param {import('./rates.mjs').Options} options */
export async function measureSlowReaders({ port, pid, seconds }) {
  const first = await openConnection(port)
  for (let index = 0; index < 500; index++) await first.ask(getAnyItem(index))
  // One fast read beforehand fills the page cache, which is the same for all servers and not
  // measured here.
  const whole = await first.ask(getAll)
  if (whole.status !== 200) throw new Error(`status ${whole.status} for 200`)
  await after(0.5)

  const before = residentBytes(pid)
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid))
  }, 25)
  const readers = Array.from({ length: READERS }, () => slowReader(port))
  const isLate = () => readers.some(({ bytesRead }) => bytesRead() === 0)
  await after(seconds)
  for (let waited = seconds; waited < MAX_SECONDS && isLate(); waited++) await after(1)
  clearInterval(watch)
  const bytesRead = readers.map((reader) => reader.stop())
  first.socket.destroy()
  if (bytesRead.some((bytes) => bytes === 0)) throw new Error('A slow reader got nothing.')
  return {
    requests: READERS,
    growth: peak - before,
    bytes: bytesRead.reduce((sum, bytes) => sum + bytes),
    errors: {},
  }
}

/** @param {number} port */
function slowReader(port) {
  const sip = BYTES_PER_SECOND / SIPS_PER_SECOND
  let bytesRead = 0
  const socket = new Socket()
  socket.connect(port, '127.0.0.1')
  socket.once('connect', () => socket.write(getAll))
  socket.on('error', (error) => {
    throw error
  })
  const timer = setInterval(() => {
    const bytes = socket.read(Math.min(sip, socket.readableLength))
    if (bytesRead === 0 && bytes && bytes.toString('latin1', 9, 12) !== '200')
      throw new Error('A slow reader was refused.')
    bytesRead += bytes?.length ?? 0
  }, 1_000 / SIPS_PER_SECOND)
  return {
    bytesRead: () => bytesRead,
    stop() {
      clearInterval(timer)
      socket.destroy()
      return bytesRead
    },
  }
}

/** @param {number} seconds */
const after = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
