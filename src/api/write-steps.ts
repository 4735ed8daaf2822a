import type { ModelDescription } from '../model/model-description.ts'
import {
  needsWriteSteps,
  type WriteSteps,
  type WriteStepsByModel,
} from '../operation/write-hooks/write-steps.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'

/** What runs around the writes of each model, in the order of registration. */
export function writeStepsByModel(
  models: readonly ModelDescription[],
  middleware: MiddlewareByModel,
): WriteStepsByModel {
  const all = models.map((model): [ModelDescription, WriteSteps] => {
    const hooks = middleware.of(model).flatMap(({ write }) => write ?? [])
    return [
      model,
      {
        before: hooks.flatMap(({ before }) => before ?? []),
        after: hooks.flatMap(({ after }) => after ?? []),
        afterCommit: hooks.flatMap(({ afterCommit }) => afterCommit ?? []),
      },
    ]
  })
  return new Map(all.filter(([model, steps]) => needsWriteSteps(model, steps)))
}
