import type { FieldDescription } from '../../model/description.ts'
import { isFilterable, type ModelView, type Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { Limits } from '../limits.ts'
import type { DocumentedParameter } from '../parameter.ts'
import type { ClientEnd } from './client-path.ts'
import { filterable } from './filter-operators.ts'
import { filterMeanings, filterSchema } from './filter-schema.ts'

/** So many names are listed one by one, where names behind relations come with them. */
const listedNames = 24

const operators = Object.entries(filterMeanings)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')

/**
 * A parameter for each member that can be filtered by, with its operators as members, and where they are few for those of related items too.
 * Deeper ones work alike.
 */
export function documentedFilters(views: Views, view: ModelView, limits: Limits): readonly DocumentedParameter[] {
  const expression: DocumentedParameter = {
    name: 'filter',
    description:
      "A filter with boolean logic, for example `or(eq(title,'Dune'),gt(price,10))`: the operators are those of the other filters, joined by `and`, `or` and `not`. " +
      'Dotted names lead to members of related items, as in `filter[author.name][contains]`; `filter[title]=Dune` is short for `filter[title][eq]=Dune`.\n\n' +
      `The operators, of which each filter lists its own:\n\n${operators}`,
    schema: { type: 'string' },
    written: 'plain',
    shared: 'Filter',
  }
  const { ends } = documentedEnds(views, view, { relationDepth: 1 }, listedNames)
  const filters = ends.filter(([name, end]) => !name.includes('.') || end.kind === 'value')
  return [expression, ...filters.flatMap(([name, end]) => documentedFilter(name, end, limits))]
}

export type NamedEnd = readonly [name: string, end: ClientEnd]

/**
 * What can be named, with its dotted name: as many relations deep as `most` names allow, the model's own in any case.
 * `isComplete` when there is nothing deeper.
 */
export function documentedEnds(
  views: Views,
  view: ModelView,
  { relationDepth }: Pick<Limits, 'relationDepth'>,
  most: number,
): { readonly ends: readonly NamedEnd[]; readonly isComplete: boolean } {
  let ends = endsWithin(views, view, 0)
  for (let depth = 1; ; depth++) {
    const deeper = endsWithin(views, view, depth)
    if (deeper.length === ends.length) return { ends, isComplete: true }
    if (deeper.length > most || depth > relationDepth) return { ends, isComplete: false }
    ends = deeper
  }
}

function endsWithin(views: Views, view: ModelView, relations: number): readonly NamedEnd[] {
  const own = view.model.fields
    .filter((field) => isFilterable(view, field))
    .flatMap((field) => endsOf(views, field, relations))
  return [['id', { kind: 'id' }], ...own]
}

function endsOf(views: Views, field: FieldDescription, relations: number): readonly NamedEnd[] {
  switch (field.kind) {
    case 'hash':
    case 'resource':
      return []
    case 'value':
      return valueEnds(field.wire, field.type, (type) => ({ kind: 'value', field, type }))
    case 'toOne': {
      const behind = relations > 0 ? endsWithin(views, views.of(field.target), relations - 1) : []
      return [
        [field.wire, { kind: 'relation', field }],
        ...behind.map(([name, end]) => [`${field.wire}.${name}`, end] as const),
      ]
    }
    default:
      return [[field.wire, { kind: 'relation', field }]]
  }
}

function valueEnds(name: string, type: ValueType, end: (type: ValueType) => ClientEnd): readonly NamedEnd[] {
  if (type.kind !== 'struct') return [[name, end(type)]]
  return [...type.members].flatMap(([member, { type }]) => valueEnds(`${name}.${member}`, type, end))
}

/** Alike for all models that have such a member. */
function documentedFilter(name: string, end: ClientEnd, limits: Limits): readonly DocumentedParameter[] {
  const target = filterable(end)
  if (!target) return []
  const schema = filterSchema(target, limits)
  return [
    {
      name: `filter[${name}]`,
      description: `Only items whose \`${name}\` fits; \`filter\` describes the operators.`,
      schema,
      ...(end.kind === 'value' && end.field.output.deprecated && { deprecated: true }),
      written: 'members',
      shared: schema.component!.name + pascalOf(name),
    },
  ]
}
