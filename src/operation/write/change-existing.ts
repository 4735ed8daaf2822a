import type { ErrorCode } from '../../error/catalog.ts'
import { isReadable } from '../../model/model-view.ts'
import { allOf, always } from '../../query/conditions.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkPreconditions, preconditionErrors } from '../preconditions.ts'
import { seenItem } from '../shown-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeItem, changeItemErrors } from './change-item.ts'
import { changeRulesOutcome } from './change-rules.ts'
import { checkOutcomeErrors, checkOutcomeWithInverses } from './check-outcome.ts'
import { completeItem, completeItemErrors } from './complete-item.ts'
import {
  checkGuardedMembers,
  clearedFieldsOutcome,
  guardedMemberErrors,
} from './guarded-members.ts'
import { inverseRelationErrors, writeInverseRelations } from './inverse-relations.ts'
import type { ItemBase, Members } from './item-base.ts'
import { readOnlyInverseErrors, readOnlyInverseProblems } from './read-only-inverses.ts'
import { otherIdErrors, refuseOtherId } from './refuse-other-id.ts'
import { refuseReplacement, replacementErrors } from './refuse-replacement.ts'
import {
  checkRelations,
  refuseWithMissingRelations,
  resolveRelationsErrors,
} from './resolve-relations.ts'
import { restOfWrite } from './rest-of-write.ts'
import { serviceMemberErrors, serviceMemberProblems } from './service-members.ts'
import { unseenChanges } from './unseen-changes.ts'
import { findUnseenLinks, seenValues } from './unseen-links.ts'

export const changeExistingErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...otherIdErrors,
  ...serviceMemberErrors,
  ...guardedMemberErrors,
  ...readOnlyInverseErrors,
  ...completeItemErrors,
  ...resolveRelationsErrors,
  ...replacementErrors,
  ...preconditionErrors,
  ...changeItemErrors,
  ...inverseRelationErrors,
  ...checkOutcomeErrors,
]

/**
 * Merges the payload into the item in the path, or replaces the item with it. Members are
 * validated, and new relations are looked up, before the preconditions are checked.
 * @param files values with the files that the item gets. Default: its own
 */
export async function changeExisting(
  transaction: UnitOfWork,
  sent: PayloadOperationInput,
  kind: Exclude<ItemBase['kind'], 'new'>,
  files?: StoredValues,
): Promise<OperationResult> {
  const { model } = sent.view
  const current = await findItem(transaction, sent)
  refuseOtherId(sent)
  const stored = readStoredValues(model, current)
  const { shown, masked } = await seenItem(transaction, sent, current)
  const unseen = await findUnseenLinks(transaction, sent, stored, masked)
  const seen = { seenValues: seenValues(model, stored, unseen, masked), masked }
  const guarded = await checkGuardedMembers(transaction, sent, {
    item: current,
    kind,
    ...seen,
  })
  const input = { ...sent, payload: guarded.payload }
  let members: Members
  try {
    const problems = [
      ...serviceMemberProblems(input, seen.seenValues),
      ...guarded.problems,
      ...(await readOnlyInverseProblems(transaction, input, current.id)),
    ]
    members = await completeItem(
      input,
      { kind, stored, unseen, masked, kept: guarded.kept, ...(files && { files }) },
      problems,
    )
  } catch (error) {
    return refuseWithMissingRelations(transaction, input, seen.seenValues, error)
  }
  await checkRelations(transaction, input, seen.seenValues)
  refuseReplacement(input, stored, seen.seenValues, members)
  checkPreconditions(input, shown)
  const values = { ...members, id: current.id }
  const rulesOutcome = await changeRulesOutcome(transaction, input, model, current, [])
  const outcome = allOf([
    input.guards.outcomeCondition(model, input.context, current.id),
    rulesOutcome,
    guarded.outcome,
    kind === 'replace' ? await clearedFieldsOutcome(transaction, input, current, members) : always,
  ])
  const changedItem = await changeItem(transaction, model, current, values, input.payload, {
    isNewVersion: writesUnseen(input),
    unseenChanges: unseenChanges(model, input.payload, seen),
    rest: restOfWrite(input, outcome),
  })
  const { item, changedRelations } = await writeInverseRelations(
    transaction,
    input,
    changedItem,
    'replace',
  )
  await checkOutcomeWithInverses(
    changedRelations,
    changedItem !== current || (changedRelations.length > 0 && rulesOutcome.kind !== 'always'),
    transaction,
    outcome,
    model,
    current,
  )
  return { kind: 'item', item: await transaction.latest(model, item) }
}

/**
 * Whether the payload writes hidden members. An unchanged version would then tell a client that it
 * guessed their values.
 */
function writesUnseen({ view, payload }: PayloadOperationInput): boolean {
  return [...payload.values.keys(), ...payload.relations.keys()].some(
    (name) => !isReadable(view, view.model.fieldsByName.get(name)!),
  )
}
