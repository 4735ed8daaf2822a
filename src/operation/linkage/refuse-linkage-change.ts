import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { RelationField } from '../../model/model-description.ts'
import { isReadOnlyRelation } from '../../model/relation-kinds.ts'
import type { RefusedLinkageChangeInput } from '../operation-input.ts'
import type { LinkageChange } from '../write/inverse-links.ts'
import { replacementErrors, replacementForbidden } from '../write/refuse-replacement.ts'
import { findOwner, findOwnerErrors } from './find-owner.ts'

const ownErrors = ['forbidden'] as const

export const refuseLinkageChangeErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...findOwnerErrors,
  ...replacementErrors,
]

const { createApiError } = refusalsOf(ownErrors)

/**
 * What refuses a change that the relation never allows; undefined if it allows the change, or if
 * clients may send back what it holds.
 */
export function linkageChangeRefusal(
  relation: RelationField,
  change: LinkageChange,
): (() => never) | undefined {
  if (isReadOnlyRelation(relation)) return change === 'replace' ? undefined : refuseToSet
  if (relation.kind === 'toOne') return change === 'replace' ? undefined : refuseToAdd
  if (change !== 'replace' || relation.isReplaceable) return undefined
  return () => refuseAll([replacementForbidden(relation, undefined)]) as never

  function refuseToSet(): never {
    throw createApiError('forbidden', `Only the service can change '${relation.wireName}'.`)
  }

  function refuseToAdd(): never {
    throw createApiError(
      'forbidden',
      `'${relation.wireName}' is a to-one relationship. Replace or clear it with PATCH.`,
    )
  }
}

/** Refuses to replace a read-only relation with anything but what it holds. */
export function refuseOtherLinkage(relation: RelationField): never {
  throw createApiError(
    'forbidden',
    `Only the service can change '${relation.wireName}'. Send it unchanged.`,
  )
}

/** Refuses every change, but says first if the item does not exist. */
export async function refuseLinkageChange(input: RefusedLinkageChangeInput): Promise<never> {
  await findOwner(input.store, input)
  return input.refuse()
}
