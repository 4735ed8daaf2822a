import { inheritedVariable } from './inherited-variable.ts'

/** The variable of the environment that makes a process a worker. */
export const workerVariable = 'RESOURCERY_WORKER'

const hasPrimary = inheritedVariable(workerVariable) !== undefined

/** Has the primary of `serve` with `workers` started this process? */
export function isWorker(): boolean {
  return hasPrimary && process.send !== undefined
}
