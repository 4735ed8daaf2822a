import { conditionOf } from '../../access/field-guards.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { andAlso } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { TrashedItemInput } from '../operation-input.ts'
import {
  findSeenTrashed,
  findSeenTrashedErrors,
  lastSeenTrashed,
  type SeenTrashed,
} from './find-seen-trashed.ts'

const ownErrors = ['forbidden'] as const

export const findChangeableTrashedErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...findSeenTrashedErrors,
]

const { refuse } = refusalsOf(ownErrors)

/**
 * Finds the item in the trash that the request restores, or deletes for good.
 * @throws ApiError `not-found`, or `forbidden` for an item that the caller sees in the trash only
 */
export async function findChangeableTrashed(
  reader: StoreReader,
  input: TrashedItemInput,
): Promise<SeenTrashed> {
  const { guards, context, view, plan } = input
  const { model } = view
  const changeable = await lastSeenTrashed(reader, input, plan.condition)
  if (changeable) return changeable
  const visible = andAlso(
    guards.itemCondition(model, context, context.id!),
    conditionOf(guards.accessOf(model)?.readTrash, model, context),
  )
  if (await lastSeenTrashed(reader, input, visible))
    throw refuse(
      'forbidden',
      `You may see this ${model.name} in the trash, but not ${
        context.rule.method === 'DELETE' ? 'delete it for good' : 'restore it'
      }.`,
    )
  return findSeenTrashed(reader, input)
}
