import type { Problem } from '../error/problem.ts'
import { refusalsOf } from '../error/refusals.ts'
import { unknownName } from '../error/unknown-name.ts'
import { isReadOnlyRelation, type RelationField } from '../model/model-description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../serializer/payload.ts'
import { toStoredValue } from '../stored-item/code-values.ts'

const { problem } = refusalsOf(['unknown-member', 'invalid-member', 'forbidden'])

/**
 * Values that code has set, in the form of what clients send. Pointers are the names of the model.
 * Members that are undefined count as absent, and the version is ignored.
 */
export function codePayload(view: ModelView, values: object): ItemPayload {
  const { model } = view
  const problems: Problem[] = []
  const sentValues = new Map<string, PayloadValue<unknown>>()
  const readOnlyValues = new Map<string, PayloadValue<unknown>>()
  const relations = new Map<string, LinkagePayload>()
  const readOnlyRelations = new Map<string, LinkagePayload>()
  let id: PayloadValue<string> | undefined
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || name === 'hash') continue
    const steps = [name]
    const field = model.fieldsByName.get(name)
    if (name === 'id') id = { value: String(value), steps }
    else if (!field || !isWritable(view, field)) problems.push(unknownMember(view, name))
    else if (field.kind === 'value') {
      if (!view.isForService && field.visibility === 'readOnly' && field.from)
        readOnlyValues.set(name, { value, steps })
      else if (!view.isForService && field.visibility === 'readOnly')
        problems.push(
          problem('forbidden', `Only the service can set '${name}'.`, { pointer: `/${name}` }),
        )
      else sentValues.set(name, { value: toStoredValue(field, value), steps })
    } else if (field.kind === 'resource') {
      if (value !== null)
        problems.push(
          problem('invalid-member', `'${name}' is a binary resource. Set it with setResource().`, {
            pointer: `/${name}`,
          }),
        )
    } else if (field.kind !== 'hash') {
      const linkage = linkageOf(field, value, name)
      const isReadOnly = !view.isForService && isReadOnlyRelation(field)
      if (linkage) (isReadOnly ? readOnlyRelations : relations).set(name, linkage)
      else
        problems.push(
          problem(
            'invalid-member',
            field.kind === 'toOne'
              ? `'${name}' must be an id or null.`
              : `'${name}' must be an array of ids.`,
            { pointer: `/${name}` },
          ),
        )
    }
  }
  return {
    kind: 'item',
    document: values,
    steps: [],
    memberSteps: { values: [], relations: [] },
    id,
    values: sentValues,
    readOnlyValues,
    relations,
    readOnlyRelations,
    newId: undefined,
    problems,
  }
}

function unknownMember({ model }: ModelView, name: string): Problem {
  const names = [...model.valueFields, ...model.relations].map((field) => field.name)
  return problem(
    'unknown-member',
    unknownName(`'${name}' is not a member of '${model.name}'`, name, ['id', ...names]),
    { pointer: `/${name}` },
  )
}

/** Undefined for what is no linkage. Items stand for their ids. */
function linkageOf(
  { kind }: RelationField,
  value: unknown,
  name: string,
): LinkagePayload | undefined {
  if (kind === 'toOne') {
    if (value === null) return { kind: 'none', steps: [name] }
    const id = idOf(value)
    return id === undefined ? undefined : { kind: 'one', id: { value: id, steps: [name] } }
  }
  if (!Array.isArray(value)) return undefined
  const ids = value.map(idOf)
  return ids.every((id) => id !== undefined)
    ? {
        kind: 'many',
        ids: [...new Set(ids)].map((id, index) => ({ value: id, steps: [name, index] })),
        steps: [name],
      }
    : undefined
}

function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return typeof id === 'string' ? id : undefined
}
