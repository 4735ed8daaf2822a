import type { SchemaStep } from './plan/schema-step.ts'

/**
 * Ends a transaction before a step that processes of the old version cannot live with, so that they
 * pause without its locks: they would keep requests under way waiting. It then runs again.
 */
export class PauseNeeded extends Error {
  override readonly name = 'PauseNeeded'
}

/** @throws PauseNeeded if one of the steps ends processes of the old version */
export function refuseToEndOldProcesses(steps: readonly SchemaStep[]): void {
  if (steps.some(endsOldProcesses))
    throw new PauseNeeded('Processes of the old version have to pause first.')
}

export function endsOldProcesses(step: SchemaStep): boolean {
  return 'endsOldProcesses' in step && step.endsOldProcesses === true
}
