import type { FieldDescription } from '../../model/model-description.ts'
import { isFilterable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { DocumentedParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { toFilterableField } from './filter-operators.ts'
import { filterSchema, operatorDescriptions } from './filter-schema.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** Fields of related models are documented only if there are at most so many. */
const maxListedNames = 24

const operators = Object.entries(operatorDescriptions)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')

/** One parameter for each filterable field, and for those of related models if they are few. */
export function describeFilters(
  views: ModelViews,
  view: ModelView,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const expression: DocumentedParameter = {
    name: 'filter',
    description:
      "A filter expression, for example `or(eq(title,'Dune'),gt(price,10))`: the operators below, combined with `and`, `or` and `not`. " +
      'Dotted names lead to fields of related items, as in `filter[author.name][contains]`; `filter[title]=Dune` is short for `filter[title][eq]=Dune`.\n\n' +
      `Operators (each field supports some of them):\n\n${operators}`,
    schema: { type: 'string' },
    style: 'plain',
    componentName: 'Filter',
  }
  const { references } = listFieldReferences(views, view, { maxRelationDepth: 1 }, maxListedNames)
  const filters = references.filter(
    ([name, reference]) => !name.includes('.') || reference.kind === 'value',
  )
  return [
    expression,
    ...filters.flatMap(([name, reference]) => describeFilter(name, reference, limits)),
  ]
}

export type NamedFieldReference = readonly [name: string, reference: FieldReference]

/**
 * All fields that can be filtered or sorted by, with their dotted names: those of the model, and
 * those of related models, as deep as at most `maxNames` allow. `isComplete` if no deeper fields
 * exist.
 */
export function listFieldReferences(
  views: ModelViews,
  view: ModelView,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
  maxNames: number,
): { readonly references: readonly NamedFieldReference[]; readonly isComplete: boolean } {
  let references = referencesWithin(views, view, 0)
  for (let depth = 1; ; depth++) {
    const deeper = referencesWithin(views, view, depth)
    if (deeper.length === references.length) return { references, isComplete: true }
    if (deeper.length > maxNames || depth > maxRelationDepth)
      return { references, isComplete: false }
    references = deeper
  }
}

function referencesWithin(
  views: ModelViews,
  view: ModelView,
  relations: number,
): readonly NamedFieldReference[] {
  const fieldReferences = view.model.fields
    .filter((field) => isFilterable(view, field))
    .flatMap((field) => referencesOf(views, field, relations))
  return [['id', { kind: 'id' }], ...fieldReferences]
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
      const isFollowed = relations > 0 && !views.closedModels.has(field.relatedModel)
      const related = isFollowed
        ? referencesWithin(views, views.of(field.relatedModel), relations - 1)
        : []
      return [
        [field.wireName, { kind: 'relation', field }],
        ...related.map(([name, reference]) => [`${field.wireName}.${name}`, reference] as const),
      ]
    }
    default:
      return [[field.wireName, { kind: 'relation', field }]]
  }
}

function valueReferences(
  name: string,
  type: ValueType,
  toReference: (type: ValueType) => FieldReference,
): readonly NamedFieldReference[] {
  if (type.kind !== 'struct') return [[name, toReference(type)]]
  return [...type.members].flatMap(([member, { type }]) =>
    valueReferences(`${name}.${member}`, type, toReference),
  )
}

/** The same for all models that have such a field. */
function describeFilter(
  name: string,
  reference: FieldReference,
  limits: RouterLimits,
): readonly DocumentedParameter[] {
  const target = toFilterableField(reference)
  if (!target) return []
  const schema = filterSchema(target, limits)
  return [
    {
      name: `filter[${name}]`,
      description: `Filters by \`${name}\`; see \`filter\` for the operators.`,
      schema,
      ...(reference.kind === 'value' &&
        reference.field.output.deprecated && { isDeprecated: true }),
      style: 'deepObject',
      componentName: schema.component!.name + toPascalCase(name),
    },
  ]
}
