import type { Problem } from '../error/problem.ts'
import { refusalsOf } from '../error/refusals.ts'
import { unknownName } from '../error/unknown-name.ts'
import type { FieldDescription, RelationField, ValueField } from '../model/model-description.ts'
import { isWritable, type ModelView } from '../model/model-view.ts'
import { toWordsWithArticle } from '../model/naming.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../serializer/payload.ts'
import { toStoredValue } from '../stored-item/code-values.ts'

const { problem } = refusalsOf(['unknown-member', 'invalid-member', 'forbidden'])

/**
 * Values that code has set, in the form of what clients send. Pointers are the names of the model.
 * Members that are undefined count as absent, and the version is ignored.
 */
export function codePayload(view: ModelView, values: object): ItemPayload {
  const members: Members = {
    values: new Map(),
    readOnlyValues: new Map(),
    relations: new Map(),
    readOnlyRelations: new Map(),
    problems: [],
  }
  let id: PayloadValue<string> | undefined
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values)
  // Rows of a file have any type.
  if (!isObject)
    members.problems.push(
      problem(
        'invalid-member',
        `Expected an object with the members of ${toWordsWithArticle(view.model.name)}.`,
      ),
    )
  for (const [name, value] of isObject ? Object.entries(values) : []) {
    if (value === undefined || name === 'hash') continue
    const field = view.model.fieldsByName.get(name)
    if (name === 'id') id = { value: String(value), steps: [name] }
    else if (!field || !isWritable(view, field)) members.problems.push(unknownMember(view, name))
    else addMember(members, view, field, value)
  }
  return {
    kind: 'item',
    document: values,
    steps: [],
    memberSteps: { values: [], relations: [] },
    id,
    ...members,
    newId: undefined,
  }
}

/** The members of a payload while it is made. */
interface Members {
  readonly values: Map<string, PayloadValue<unknown>>
  readonly readOnlyValues: Map<string, PayloadValue<unknown>>
  readonly relations: Map<string, LinkagePayload>
  readonly readOnlyRelations: Map<string, LinkagePayload>
  readonly problems: Problem[]
}

function addMember(
  members: Members,
  view: ModelView,
  field: FieldDescription,
  value: unknown,
): void {
  switch (field.kind) {
    case 'value':
      addValue(members, view, field, value)
      break
    case 'toOne':
    case 'toMany':
    case 'inverse':
      addRelation(members, view, field, value)
      break
    case 'resource':
      if (value !== null) members.problems.push(resourceProblem(field.name))
      break
    case 'hash':
      break
  }
}

function addValue(members: Members, view: ModelView, field: ValueField, value: unknown): void {
  const { name, from } = field
  // The service computes it, whatever code read and sends back.
  if (field.computed) return
  const isReadOnly = !view.isForService && field.visibility === 'readOnly'
  if (!isReadOnly) members.values.set(name, { value: toStoredValue(field, value), steps: [name] })
  else if (from) members.readOnlyValues.set(name, { value, steps: [name] })
  else
    members.problems.push(
      problem('forbidden', `Only the service can set '${name}'.`, { pointer: `/${name}` }),
    )
}

function addRelation(
  members: Members,
  view: ModelView,
  field: RelationField,
  value: unknown,
): void {
  const { name } = field
  const linkage = linkageOf(field, value, name)
  const isReadOnly = !view.isForService && isReadOnlyRelation(field)
  if (linkage) (isReadOnly ? members.readOnlyRelations : members.relations).set(name, linkage)
  else members.problems.push(linkageProblem(field))
}

function resourceProblem(name: string): Problem {
  return problem('invalid-member', `'${name}' is a binary resource. Set it with setResource().`, {
    pointer: `/${name}`,
  })
}

function linkageProblem({ kind, name }: RelationField): Problem {
  return problem(
    'invalid-member',
    kind === 'toOne' ? `'${name}' must be an id or null.` : `'${name}' must be an array of ids.`,
    { pointer: `/${name}` },
  )
}

function unknownMember(view: ModelView, name: string): Problem {
  const { model } = view
  // A caller must not learn the names of other members.
  const names = [...model.valueFields, ...model.relations]
    .filter((field) => isWritable(view, field))
    .map((field) => field.name)
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
