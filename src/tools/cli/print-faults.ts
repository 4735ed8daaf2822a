import { formatNumber } from '../../text/message-text.ts'

/**
 * Prints the first faults, and how many more there are.
 * @param count how many there are in all
 */
export function printFaults(faults: readonly string[], count: number): void {
  for (const fault of faults) console.error(fault)
  if (count > faults.length) console.error(`and ${formatNumber(count - faults.length)} more.`)
}
