import type { FieldDescription } from '../../model/model-description.ts'
import { isFilterable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { toFilterableField } from './filter-operators.ts'
import { filterSchema, operatorDescriptions } from './filter-schema.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** So many names are listed one by one, where names behind relations come with them. */
const maxListedNames = 24

const operators = Object.entries(operatorDescriptions)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')

/**
 * A parameter for each member that can be filtered by, with its operators as members, and where
 * they are few for those of related items too. Deeper ones work alike.
 */
export function describeFilters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const expression: DocumentedParameter = {
    name: 'filter',
    description:
      "A filter with boolean logic, for example `or(eq(title,'Dune'),gt(price,10))`: the operators are those of the other filters, joined by `and`, `or` and `not`. " +
      'Dotted names lead to members of related items, as in `filter[author.name][contains]`; `filter[title]=Dune` is short for `filter[title][eq]=Dune`.\n\n' +
      `The operators, of which each filter lists its own:\n\n${operators}`,
    schema: { type: 'string' },
    style: 'plain',
    componentName: 'Filter',
  }
  const { references } = listFieldReferences(views, view, { maxRelationDepth: 1 }, maxListedNames)
  const filters = references.filter(([name, end]) => !name.includes('.') || end.kind === 'value')
  return [expression, ...filters.flatMap(([name, end]) => describeFilter(name, end, limits))]
}

export type NamedFieldReference = readonly [name: string, end: FieldReference]

/**
 * What can be named, with its dotted name: as many relations deep as `most` names allow, the
 * model's own in any case. `isComplete` when there is nothing deeper.
 */
export function listFieldReferences(
  views: ModelViews,
  view: ModelView,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
  most: number,
): { readonly references: readonly NamedFieldReference[]; readonly isComplete: boolean } {
  let references = referencesWithin(views, view, 0)
  for (let depth = 1; ; depth++) {
    const deeper = referencesWithin(views, view, depth)
    if (deeper.length === references.length) return { references, isComplete: true }
    if (deeper.length > most || depth > maxRelationDepth) return { references, isComplete: false }
    references = deeper
  }
}

function referencesWithin(
  views: ModelViews,
  view: ModelView,
  relations: number,
): readonly NamedFieldReference[] {
  const own = view.model.fields
    .filter((field) => isFilterable(view, field))
    .flatMap((field) => referencesOf(views, field, relations))
  return [['id', { kind: 'id' }], ...own]
}

function referencesOf(
  views: ModelViews,
  field: FieldDescription,
  relations: number,
): readonly NamedFieldReference[] {
  switch (field.kind) {
    case 'hash':
    case 'resource':
      return []
    case 'value':
      return valueReferences(field.wireName, field.type, (type) => ({ kind: 'value', field, type }))
    case 'toOne': {
      const behind =
        relations > 0 ? referencesWithin(views, views.of(field.relatedModel), relations - 1) : []
      return [
        [field.wireName, { kind: 'relation', field }],
        ...behind.map(([name, end]) => [`${field.wireName}.${name}`, end] as const),
      ]
    }
    default:
      return [[field.wireName, { kind: 'relation', field }]]
  }
}

function valueReferences(
  name: string,
  type: ValueType,
  end: (type: ValueType) => FieldReference,
): readonly NamedFieldReference[] {
  if (type.kind !== 'struct') return [[name, end(type)]]
  return [...type.members].flatMap(([member, { type }]) =>
    valueReferences(`${name}.${member}`, type, end),
  )
}

/** Alike for all models that have such a member. */
function describeFilter(
  name: string,
  end: FieldReference,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const target = toFilterableField(end)
  if (!target) return []
  const schema = filterSchema(target, limits)
  return [
    {
      name: `filter[${name}]`,
      description: `Only items whose \`${name}\` fits; \`filter\` describes the operators.`,
      schema,
      ...(end.kind === 'value' && end.field.output.deprecated && { isDeprecated: true }),
      style: 'members',
      componentName: schema.component!.name + toPascalCase(name),
    },
  ]
}
