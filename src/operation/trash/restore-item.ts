import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { toWordsWithArticle } from '../../model/naming.ts'
import { idEquals } from '../../query/conditions.ts'
import { itemSizeErrors } from '../../store/item-size-limit.ts'
import { emptyRollups } from '../../store/rollups/write-rollups.ts'
import { removeTrashed } from '../../store/trash/trash-table.ts'
import { withDerivedValues } from '../../stored-item/derived-values.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { withChangeTime } from '../../stored-item/timestamps.ts'
import { capitalize } from '../../text/message-text.ts'
import { refusedInputErrors, refuseInput } from '../action/refuse-input.ts'
import type { RestoreInput, TrashedItemInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { checkOutcome, checkOutcomeErrors } from '../write/check-outcome.ts'
import { writeOutcomeErrors, writtenItem } from '../write/write-outcome.ts'
import { writeHookErrors } from '../write-hooks/hook-observer.ts'
import { findChangeableTrashed, findChangeableTrashedErrors } from './find-changeable-trashed.ts'
import { restoredValues, restoredValuesErrors } from './restored-values.ts'

const ownErrors = ['already-exists'] as const

export const restoreItemErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...refusedInputErrors,
  ...findChangeableTrashedErrors,
  ...restoredValuesErrors,
  ...writeOutcomeErrors,
  ...itemSizeErrors,
  ...writeHookErrors,
  ...checkOutcomeErrors,
]

const { createApiError } = refusalsOf(ownErrors)

/** RestoreItem: creates a deleted item again, with its id, its values and its files. */
export function restoreItem(input: RestoreInput & TrashedItemInput): Promise<OperationResult> {
  const { view, guards, context, validations } = input
  const { model } = view
  return input.store.write(async (unit) => {
    refuseInput('restore', input.actionPayload)
    const { values, trashed } = await findChangeableTrashed(unit, input)
    if (await unit.find(model, idEquals(values.id))) throw idTaken(input)
    const problems: Problem[] = []
    const restored = await restoredValues(unit, model, validations, values, problems)
    refuseAll(problems)
    // Before the item is there again, so that its history goes on.
    await removeTrashed(unit.unobserved, trashed)
    return { kind: 'created', item: await insertAgain(unit, restored) }
  })

  async function insertAgain(unit: UnitOfWork, restored: StoredValues) {
    // Nothing relates to it yet: what was derived from its rollups is made of these.
    const members = { ...restored, ...emptyRollups(model) }
    const values = withDerivedValues(model, withChangeTime(model, members))
    const outcome = await unit.insertValues(model, values, { rest: 'more' })
    if (outcome.kind === 'exists') throw idTaken(input)
    const item = writtenItem(model, outcome, undefined)
    await checkOutcome(unit, guards.outcomeCondition(model, context), model, item)
    return unit.latest(model, item)
  }
}

function idTaken({ view: { model }, context }: RestoreInput) {
  return createApiError(
    'already-exists',
    `${capitalize(toWordsWithArticle(model.name))} with the id '${truncate(context.id!, 128)}' already exists. Delete it before you restore the former one.`,
  )
}
