import type { WriteHooks } from '../../context/write-hooks.ts'
import type { ModelDescription } from '../../model/model-description.ts'

/** What runs around the writes of one model, in order. */
export interface WriteSteps {
  readonly before: readonly NonNullable<WriteHooks['before']>[]
  readonly after: readonly NonNullable<WriteHooks['after']>[]
  readonly afterCommit: readonly NonNullable<WriteHooks['afterCommit']>[]
}

/** Models without hooks, checks, immutable members and immutable items are missing. */
export type WriteStepsByModel = ReadonlyMap<ModelDescription, WriteSteps>

/** Does code of the service run around the writes of some model? */
export function runServiceCode(steps: WriteStepsByModel): boolean {
  return [...steps].some(
    ([{ check }, { before, after, afterCommit }]) =>
      check !== undefined || before.length + after.length + afterCommit.length > 0,
  )
}

/** Is there anything to do around the writes of a model? */
export function needsWriteSteps(
  { check, immutability, immutableFields }: ModelDescription,
  { before, after, afterCommit }: WriteSteps,
): boolean {
  return (
    check !== undefined ||
    immutability !== undefined ||
    immutableFields.length > 0 ||
    before.length + after.length + afterCommit.length > 0
  )
}
