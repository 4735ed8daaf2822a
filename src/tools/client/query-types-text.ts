import {
  type DescribedModel,
  type DescribedRelation,
  parameterNamed,
  parametersOf,
} from './described-model.ts'
import type { DocumentNode } from './document-reader.ts'
import type { ModelContext } from './item-members.ts'
import type { TypeNames } from './type-names.ts'
import { arrayOf, indented, literal, membersText, templatePart, union } from './type-writer.ts'

/** The conditions on fields of the model itself, by which its own lists and others filter. */
export function declareConditions(
  { reader, writer, model }: ModelContext,
  names: TypeNames,
): string | undefined {
  if (!model.list.get) return undefined
  const ofRelated = Object.keys(model.relations).map((name) => `${name}.`)
  const members = parametersOf(reader, model.list.get).flatMap(({ name, schema }) => {
    const [, path] = /^filter\[(.+)\]$/.exec(name) ?? []
    if (path === undefined || ofRelated.some((start) => path.startsWith(start))) return []
    const key: string = schema.$ref ?? `${model.plural} ${name}`
    const type = names.declareOnce(key, key.slice(key.lastIndexOf('/') + 1), () =>
      conditionType(reader.resolve(schema)),
    )
    return [{ name: path, type, isOptional: true }]
  })
  return names.declareInterface(
    `${model.schemaName}Conditions`,
    indented(membersText(members, 'input')),
  )

  /** A value is short for `eq`, and null for `isNull`. */
  function conditionType({ properties = {} }: DocumentNode): string {
    const { eq, any } = properties
    const single = eq
      ? writer.typeOf(eq, 'input')
      : any?.pattern?.startsWith('^-?')
        ? 'number'
        : 'string'
    const members = Object.keys(properties).map((name) => {
      const type = name === 'isNull' ? 'boolean' : single
      const isList = ['in', 'nin', 'any', 'all'].includes(name)
      return { name, type: isList ? `readonly ${arrayOf(type)}` : type, isOptional: true }
    })
    const operators = `{\n${indented(membersText(members, 'input'))}\n}`
    return union([...(eq ? [single, 'null'] : []), operators])
  }
}

/**
 * The filter of a list: conditions on its own fields, and on those of related items.
 * @param conditionsOf the names of the conditions of models, by their plurals
 */
export function filterType(
  model: DescribedModel,
  own: string,
  models: ReadonlyMap<string, DescribedModel>,
  conditionsOf: ReadonlyMap<string, string | undefined>,
): string {
  const related = toOneRelations(model).flatMap(([name, { to }]) => {
    const conditions = conditionsOf.get(to)
    return conditions === undefined ? [] : [`RelatedConditions<${literal(name)}, ${conditions}>`]
  })
  // The service checks longer paths.
  const longer = toOneRelations(model)
    .filter(([, { to }]) => toOneRelations(models.get(to)).length > 0)
    .map(
      ([name]) => `{ readonly [path: \`${templatePart(name)}.\${string}.\${string}\`]: unknown }`,
    )
  return [own, ...related, ...longer].join(' & ')
}

function toOneRelations(
  model: DescribedModel | undefined,
): readonly (readonly [string, DescribedRelation])[] {
  return Object.entries(model?.relations ?? {}).filter(([, { isMany }]) => !isMany)
}

/** Fields to sort by, with and without a minus. */
export function sortType({ reader, model }: ModelContext): string {
  const { names, hasMore } = listedNames(parameterNamed(reader, model.list.get, 'sort')?.schema)
  const longer = toOneRelations(model).map(
    ([name]) => `\`\${'' | '-'}${templatePart(name)}.\${string}\``,
  )
  return union([...names, ...(hasMore ? longer : [])])
}

/** The paths of `include`. */
export function includeType(
  { reader, model }: ModelContext,
  models: ReadonlyMap<string, DescribedModel>,
): string {
  const operation = model.list.get ?? model.one.get ?? model.list.post
  const { names, hasMore } = listedNames(parameterNamed(reader, operation, 'include')?.schema)
  const longer = Object.entries(model.relations)
    .filter(([, { to }]) => Object.keys(models.get(to)?.relations ?? {}).length > 0)
    .map(([name]) => `\`${templatePart(name)}.\${string}\``)
  return union([...names, ...(hasMore ? longer : [])])
}

/** The names that a parameter lists, and whether a pattern allows others. */
function listedNames(schema: DocumentNode): {
  readonly names: readonly string[]
  readonly hasMore: boolean
} {
  const { items } = schema ?? {}
  const parts: readonly DocumentNode[] = flatParts(items)
  return {
    names: parts.flatMap((part) => (part.enum ?? []).map(literal)),
    hasMore: parts.some((part) => part.pattern !== undefined),
  }
}

function flatParts(schema: DocumentNode): readonly DocumentNode[] {
  if (!schema) return []
  return schema.anyOf ? schema.anyOf.flatMap(flatParts) : [schema]
}
