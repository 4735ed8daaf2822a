import { quoted } from '../pull/source-text.ts'
import { actionsType } from './action-types-text.ts'
import {
  contentOf,
  type DescribedModel,
  jsonApiMediaType,
  propertiesOf,
} from './described-model.ts'
import type { DocumentNode } from './document-reader.ts'
import { itemMembers, type ModelContext } from './item-members.ts'
import { actionsOf, filesOf, pathsType } from './item-paths.ts'
import { callsType, isSearched } from './model-calls.ts'
import { includeType, sortType } from './query-types-text.ts'
import type { TypeNames } from './type-names.ts'
import { docComment, indented, membersText, memberText } from './type-writer.ts'

/**
 * The entry of a model in `Api`; its types are declared in `names`.
 * @param filter the type of its filter; undefined where it has no list
 * @param models all models, by their plurals
 */
export function modelText(
  context: ModelContext,
  names: TypeNames,
  filter: string | undefined,
  models: ReadonlyMap<string, DescribedModel>,
): string {
  const { model } = context
  const { schemaName, list, one } = model
  const actions = actionsOf(context)
  const { downloads, uploads } = filesOf(context)
  const item = names.declareInterface(
    schemaName,
    indented(membersText(itemMembers(context, model.item, 'output'), 'output')),
    docComment(`An item of '${model.plural}'.`),
  )
  const entries: Readonly<Record<string, string>> = {
    calls: callsType(context, actions, downloads, uploads),
    item,
    create: declareBody(context, names, 'Create', list.post),
    update: declareBody(context, names, 'Update', one.patch),
    replace: declareBody(context, names, 'Replace', one.put),
    filter: filter === undefined ? 'never' : names.declareType(`${schemaName}Filter`, filter),
    sort: names.declareType(`${schemaName}Sort`, sortType(context)),
    include: names.declareType(`${schemaName}Include`, includeType(context, models)),
    relations: relationsType(context, models),
    actions: actionsType(context, actions),
    files: pathsType(uploads),
    downloads: pathsType(downloads),
    search: isSearched(context) ? 'string' : 'never',
    ...summaryTypes(context, names),
  }
  return Object.entries(entries)
    .map(([name, type]) => `readonly ${name}: ${type}`)
    .join('\n')
}

function declareBody(
  context: ModelContext,
  names: TypeNames,
  suffix: string,
  operation: DocumentNode,
): string {
  if (!operation) return 'never'
  const { reader, model, isResource } = context
  const { content } = reader.resolve(operation.requestBody)
  const mediaType = isResource ? jsonApiMediaType : 'application/json'
  const { properties } = reader.resolve(content[mediaType].schema)
  const schema = reader.resolve(properties[isResource ? 'data' : model.name])
  const members = itemMembers(context, schema, 'input')
  return names.declareInterface(model.schemaName + suffix, indented(membersText(members, 'input')))
}

function relationsType(
  { model }: ModelContext,
  models: ReadonlyMap<string, DescribedModel>,
): string {
  const members = Object.entries(model.relations).map(([name, { to, isMany }]) => {
    const isOptional = models.get(to)?.isGuarded || isNullable(model.item, name)
    const optional = isOptional ? '; readonly isOptional: true' : ''
    const type = isMany
      ? `{ readonly many: ${quoted(to)} }`
      : `{ readonly one: ${quoted(to)}${optional} }`
    return `readonly ${memberText({ name, type }, 'output')}`
  })
  return members.length === 0 ? 'Record<never, never>' : `{\n${indented(members.join('\n'))}\n}`
}

/** Can an item have no such related item? */
function isNullable({ properties }: DocumentNode, name: string): boolean {
  const plain = properties[name]?.type
  const linkage = properties.relationships?.properties?.[name]?.properties?.data?.anyOf
  return plain?.includes?.('null') === true || linkage !== undefined
}

/** What a list can be asked about all of its items. */
function summaryTypes(
  context: ModelContext,
  names: TypeNames,
): Readonly<Record<'aggregates' | 'facets' | 'groups', string>> {
  const { reader, writer, model, isResource } = context
  const mediaType = isResource ? jsonApiMediaType : 'application/json'
  const list = propertiesOf(reader, contentOf(reader, model.list.get, mediaType))
  const meta = propertiesOf(reader, reader.resolve(list.meta))
  const groupsDocument = contentOf(reader, model.belowList.get('groups')?.get, mediaType)
  const { groups } = isResource
    ? propertiesOf(reader, reader.resolve(propertiesOf(reader, groupsDocument).meta))
    : propertiesOf(reader, groupsDocument)
  const declare = (suffix: string, schema: DocumentNode): string => {
    const properties = propertiesOf(reader, reader.resolve(schema))
    const members = Object.entries(properties).map(([name, member]) => ({
      name,
      type: writer.typeOf(member, 'output'),
    }))
    if (members.length === 0) return 'Record<never, never>'
    return names.declareInterface(
      model.schemaName + suffix,
      indented(membersText(members, 'output')),
    )
  }
  return {
    aggregates: declare('Sums', meta.aggregates),
    facets: declare('Facets', meta.facets),
    groups: declare('GroupValues', reader.resolve(groups?.items)?.properties.by),
  }
}
