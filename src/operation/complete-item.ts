import { refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { deepestExisting } from '../http/json-pointer.ts'
import type { OwnedRelation, ValueField } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import { type Validation, validate } from '../schema/standard-schema.ts'
import type { SentItem, SentRelation, Steps } from '../serializer/sent.ts'
import { mergePatch } from './merge-patch.ts'
import { unknownMembers } from './unknown-members.ts'

/** The members of an item, by the model's own names: values validated, relations as identifiers. */
export type Members = Record<string, unknown>

/** What is to become of an existing item's members: `merge` keeps what was not sent, `replace` does not. */
export type Base = { readonly kind: 'new' } | { readonly kind: 'merge' | 'replace'; readonly stored: Readonly<Members> }

/**
 * Makes the whole item of what was sent and validates it as a whole.
 * @param problems faults already found, which are refused together with those found here.
 * @throws ApiError with all faults, each with a pointer that exists in the sent document.
 */
export async function completeItem(
  view: ModelView,
  sent: SentItem,
  base: Base,
  problems: Problem[] = [],
): Promise<Members> {
  const members: Members = {}
  for (const field of view.model.values) {
    const candidate = candidateOf(view, field, sent, base)
    const checked = check(field, candidate, sent, base)
    const validation = checked instanceof Promise ? await checked : checked
    if (validation.kind === 'valid') members[field.name] = validation.value
    else problems.push(...validation.issues.map((issue) => misfit(field, candidate, issue, sent)))
    problems.push(...strays(field, sent))
  }
  for (const field of view.model.owned) members[field.name] = relationOf(field, sent, base, problems)
  refuseAll(problems)
  return members
}

/** The value that is to be validated, before defaults. */
function candidateOf(view: ModelView, field: ValueField, sent: SentItem, base: Base): unknown {
  const given = sent.values.get(field.name)
  if (base.kind === 'new') return given?.value
  const stored = base.stored[field.name]
  if (base.kind === 'merge') return given ? mergePatch(stored, given.value) : stored
  // What a client cannot see, it cannot send back: leaving it out must not lose it.
  const unseen = field.visibility !== 'visible' || view.hides.has(field.wire)
  return given ? given.value : unseen ? stored : undefined
}

/** In a merge, null removes the member; it stays as null where the model wants one rather than none. */
function check(field: ValueField, candidate: unknown, sent: SentItem, base: Base): Validation | Promise<Validation> {
  if (base.kind !== 'merge' || candidate !== null || !sent.values.has(field.name))
    return validate(field.schema, candidate)
  const removed = validate(field.schema, undefined)
  return removed instanceof Promise || removed.kind === 'valid' ? removed : validate(field.schema, null)
}

function misfit(
  field: ValueField,
  candidate: unknown,
  issue: { path: Steps; message: string },
  sent: SentItem,
): Problem {
  const given = sent.values.get(field.name)
  const steps = given ? [...given.steps, ...issue.path] : sent.steps
  const name = [field.wire, ...issue.path].join('.')
  const detail = candidate === undefined ? `'${name}' is required.` : `'${name}' does not fit: ${issue.message}.`
  return problem('invalid-member', detail, { pointer: deepestExisting(sent.document, steps) })
}

function strays(field: ValueField, sent: SentItem): Problem[] {
  const given = sent.values.get(field.name)
  if (!given || typeof given.value !== 'object') return []
  return unknownMembers(field.input, given.value).map((way) =>
    problem('unknown-member', `'${field.wire}' has no member '${way.join('.').slice(0, 64)}'.`, {
      pointer: deepestExisting(sent.document, [...given.steps, ...way]),
    }),
  )
}

function relationOf(field: OwnedRelation, sent: SentItem, base: Base, problems: Problem[]): unknown {
  const given = sent.relations.get(field.name)
  if (!given && base.kind === 'merge') return base.stored[field.name]
  if (given?.kind === 'one') return given.id.value
  if (given?.kind === 'many') return given.ids.map((id) => id.value)
  if (field.kind === 'toMany') return []
  if (!field.optional) problems.push(relationMissing(field, sent, given))
  return null
}

function relationMissing(field: OwnedRelation, sent: SentItem, given: SentRelation | undefined): Problem {
  const steps = given?.kind === 'none' ? given.steps : sent.steps
  const detail = `'${field.wire}' is required: the identifier of one of the ${field.target.plural}.`
  return problem('invalid-member', detail, { pointer: deepestExisting(sent.document, steps) })
}
