import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/**
 * Processor time of a process. Other load on the machine changes it less than requests per second.
 * @param {number} pid
 * @returns {number | undefined} seconds; undefined where there is no /proc
 */
export function processorTime(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the command in brackets, which may contain blanks.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
