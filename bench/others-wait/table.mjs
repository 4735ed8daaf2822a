/**
 * @typedef {{ name: string, worst: number, p99: number, heldMs: number, memoryMiB: number,
 * exchangedMiB: number, seconds: number, busyMs: number | undefined, descriptors: number, blobs:
 * number, outcomes: Record<string, number>, faults: string[], }} Row
 */

/** @type {readonly [string, (row: Row) => string][]} */
const columns = [
  ['requests', (row) => row.name],
  ['worst wait', (row) => `${row.worst.toFixed(0)} ms`],
  ['p99', (row) => `${row.p99.toFixed(1)} ms`],
  ['loop held', (row) => `${row.heldMs.toFixed(0)} ms`],
  ['memory', (row) => `+${row.memoryMiB.toFixed(0)} MiB`],
  ['exchanged', (row) => `${row.exchangedMiB.toFixed(0)} MiB`],
  ['took', (row) => `${row.seconds.toFixed(1)} s`],
  ['busy after', (row) => (row.busyMs === undefined ? 'for long' : `${row.busyMs.toFixed(0)} ms`)],
  ['files open', (row) => signed(row.descriptors)],
  ['blobs', (row) => signed(row.blobs)],
  [
    'outcomes',
    (row) =>
      Object.entries(row.outcomes)
        .map(([what, times]) => `${what}: ${times}`)
        .join(', '),
  ],
  ['', (row) => row.faults.join('; ')],
]

/** @param {number} number */
const signed = (number) => (number > 0 ? `+${number}` : String(number))

const widths = [34, 11, 9, 10, 10, 10, 8, 11, 11, 6, 44, 0]

export const head = () => line(columns.map(([title]) => title))

/** @param {Row} row */
export const printed = (row) => line(columns.map(([, show]) => show(row)))

/** @param {string[]} cells */
function line(cells) {
  const padded = cells.map((cell, index) =>
    index === 0 || index >= columns.length - 2
      ? cell.padEnd(widths[index] ?? 0)
      : cell.padStart(widths[index] ?? 0),
  )
  return padded.join('  ').trimEnd()
}
