import { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { unwrittenRuleMeta } from '../../error/unwritten-rule.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import { keyFields } from '../../model/key-fields.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { joinWords } from '../../text/message-text.ts'
import type { UnitOutcome } from '../unit-of-work/unit-writer.ts'
import { shownMember } from './shown-member.ts'
import { valuesTaken, valueTakenErrors } from './values-taken.ts'

/** What a rule of the database refuses although it has passed validation. */
const ownErrors = ['invalid-member', 'related-not-found'] as const

export const writeOutcomeErrors: readonly ErrorCode[] = [...ownErrors, ...valueTakenErrors]

const { createApiError, problem } = refusalsOf(ownErrors)

/**
 * The item as it is stored.
 * @throws ApiError `value-taken`, or `invalid-member` or `related-not-found` where a rule of the
 * database refuses the item
 */
export function writtenItem(
  model: ModelDescription,
  outcome: Exclude<UnitOutcome, { kind: 'exists' }>,
  payload: ItemPayload | undefined,
): StoredItem {
  switch (outcome.kind) {
    case 'written':
      return outcome.item
    case 'taken':
      throw valuesTaken(model, outcome.fields, payload)
    case 'missing': {
      const wireName = model.fieldsByName.get(outcome.field)!.wireName
      const detail = `'${wireName}' leads to an item that does not exist.`
      throw createApiError('related-not-found', detail)
    }
    case 'refused':
      throw ruleViolation(model, outcome.fields, payload)
  }
}

/** Are these fields of the key? A change refuses them for no other reason. */
export function isKeyChange(model: ModelDescription, names: readonly string[]): boolean {
  const key = new Set(keyFields(model).map(({ name }) => name))
  return names.length > 0 && names.every((name) => key.has(name))
}

/** Points to each field whose value would be another part of the key. */
export function keyChange(
  model: ModelDescription,
  names: readonly string[],
  payload: ItemPayload | undefined,
): ApiError {
  return refusedMembers(model, names, payload, {
    hidden: 'The key cannot change.',
    one: 'is part of the key and cannot change.',
    several: 'are parts of the key and cannot change.',
  })
}

function ruleViolation(
  model: ModelDescription,
  names: readonly string[],
  payload: ItemPayload | undefined,
): ApiError {
  return refusedMembers(model, names, payload, {
    hidden: `The ${model.name} violates a rule of the database.`,
    one: 'violates a rule of the database.',
    several: 'violate a rule of the database together.',
  })
}

interface RefusalTexts {
  /** Where the client knows none of the fields. */
  readonly hidden: string
  /** What follows the name of one field, or the names of several. */
  readonly one: string
  readonly several: string
}

/** Points to each field of the rule. A client must not learn the names of hidden fields. */
function refusedMembers(
  model: ModelDescription,
  names: readonly string[],
  payload: ItemPayload | undefined,
  { hidden, one, several }: RefusalTexts,
): ApiError {
  const members = names.flatMap((name) => shownMember(model, name, payload) ?? [])
  const wireNames = members.map(({ wireName }) => `'${wireName}'`)
  if (members.length === 0)
    return createApiError('invalid-member', hidden, undefined, { meta: unwrittenRuleMeta.database })
  const detail =
    wireNames.length === 1 ? `${wireNames[0]} ${one}` : `${joinWords(wireNames)} ${several}`
  const [first, ...others] = members.map(({ steps }) =>
    problem(
      'invalid-member',
      detail,
      payload && steps && { pointer: findDeepestExisting(payload.document, steps) },
      unwrittenRuleMeta.database,
    ),
  )
  return new ApiError([first!, ...others])
}
