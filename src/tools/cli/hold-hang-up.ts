import { isatty } from 'node:tty'

/**
 * Keeps SIGHUP from ending the process while it is not known whether it will have workers. On a
 * terminal, SIGHUP means that it was closed, and ends the program as ever.
 * @returns ends that; a SIGHUP that arrived has its usual effect then, unless workers start anyway
 */
export function holdHangUp(): (startsWorkers: boolean) => void {
  if (isatty(0) || isatty(1)) return () => undefined
  let hasArrived = false
  const onSignal = (): void => {
    hasArrived = true
  }
  process.on('SIGHUP', onSignal)
  return (startsWorkers) => {
    process.off('SIGHUP', onSignal)
    if (hasArrived && !startsWorkers) process.kill(process.pid, 'SIGHUP')
  }
}
