import type { FieldDescription } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import type { ScalarType, ValueType } from '../../model/value-type.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { DocumentedParameter } from '../parameter.ts'
import type { ClientEnd } from './client-path.ts'
import { type FilterOperator, filterable } from './filter-operators.ts'

/** Every filter of the model's own members, nested ones, and those one relation away. Deeper ones work alike. */
export function documentedFilters(views: Views, view: ModelView): readonly DocumentedParameter[] {
  const expression: DocumentedParameter = {
    name: 'filter',
    description: "A filter with boolean logic, for example or(eq(title,'Dune'),gt(price,10)).",
    schema: { type: 'string' },
  }
  return [expression, ...documentedEnds(views, view, 1).flatMap(([name, end]) => documentedOperators(name, end))]
}

/** What can be named, with its dotted name. */
export function documentedEnds(
  views: Views,
  view: ModelView,
  relations: number,
): readonly (readonly [string, ClientEnd])[] {
  const own = view.model.fields
    .filter((field) => isReadable(view, field))
    .flatMap((field) => endsOf(views, field, relations))
  return [['id', { kind: 'id' }], ...own]
}

function endsOf(views: Views, field: FieldDescription, relations: number): readonly (readonly [string, ClientEnd])[] {
  switch (field.kind) {
    case 'hash':
    case 'resource':
      return []
    case 'value':
      return valueEnds(field.wire, field.type, (type) => ({ kind: 'value', field, type }))
    case 'toOne': {
      const behind = relations > 0 ? documentedEnds(views, views.of(field.target), relations - 1) : []
      return [
        [field.wire, { kind: 'relation', field }],
        ...behind.map(([name, end]) => [`${field.wire}.${name}`, end] as const),
      ]
    }
    default:
      return [[field.wire, { kind: 'relation', field }]]
  }
}

function valueEnds(
  name: string,
  type: ValueType,
  end: (type: ValueType) => ClientEnd,
): readonly (readonly [string, ClientEnd])[] {
  if (type.kind !== 'struct') return [[name, end(type)]]
  return [...type.members].flatMap(([member, { type }]) => valueEnds(`${name}.${member}`, type, end))
}

function documentedOperators(name: string, end: ClientEnd): readonly DocumentedParameter[] {
  const target = filterable(end)
  if (!target) return []
  const plain = target.operators.has('eq') ? 'eq' : 'any'
  const named = [...target.operators].map(([operator, kind]) => ({
    name: `filter[${name}][${operator}]`,
    description: `Only items whose ${name} ${meaning[operator]}.`,
    schema: operandSchema(kind, target.type),
  }))
  return [
    {
      name: `filter[${name}]`,
      description: `Only items whose ${name} ${meaning[plain]}.`,
      schema: operandSchema(target.operators.get(plain)!, target.type),
    },
    ...named,
  ]
}

const meaning: Readonly<Record<string, string>> = {
  eq: 'equals the value',
  ne: 'differs from the value',
  gt: 'is greater than the value',
  gte: 'is the value or greater',
  lt: 'is less than the value',
  lte: 'is the value or less',
  in: 'is one of the values, separated by commas',
  nin: 'is none of the values, separated by commas',
  isNull: 'is null (true) or is not (false)',
  contains: 'contains the text',
  startsWith: 'starts with the text',
  endsWith: 'ends with the text',
  like: 'matches the pattern, in which % stands for any run of characters and _ for any one',
  any: 'holds any of the values, separated by commas',
  all: 'holds all of the values, separated by commas',
}

function operandSchema({ takes }: FilterOperator, type: ScalarType): JsonSchema {
  if (takes === 'flag') return { type: 'boolean' }
  return takes === 'one' && type.kind !== 'text' ? { type: type.kind } : { type: 'string' }
}
