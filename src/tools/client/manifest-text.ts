import { memberKey, objectText, quoted } from '../pull/source-text.ts'
import { parameterNamed } from './described-model.ts'
import type { ModelContext } from './item-members.ts'
import { actionsOf } from './item-paths.ts'

/** The entry of a model in the manifest. */
export function manifestEntry(context: ModelContext): string {
  const { model, reader } = context
  const pageSize = parameterNamed(reader, model.list.get, 'page[size]')
  const maxPageSize: number = pageSize?.schema.maximum ?? 1_000
  const version = Object.entries<{ readonly [keyword: string]: unknown }>(
    model.item.properties,
  ).find(([, schema]) => schema['x-resourcery-version'] === true)
  const relations = Object.entries(model.relations).map(
    ([name, { to, isMany, inverse }]) =>
      [
        name,
        objectText([
          ['model', quoted(to)],
          ...(isMany ? [['isMany', 'true'] as const] : []),
          ...(inverse === undefined ? [] : [['inverse', quoted(inverse)] as const]),
        ]),
      ] as const,
  )
  const actions = actionsOf(context).map(
    ({ name, segment, hasOutput }) =>
      [
        name,
        objectText([
          ['segment', quoted(segment)],
          ...(hasOutput ? [['hasOutput', 'true'] as const] : []),
        ]),
      ] as const,
  )
  return `${memberKey(model.plural)}: ${objectText([
    ['name', quoted(model.name)],
    ...(maxPageSize < 1_000 ? [['maxPageSize', String(maxPageSize)] as const] : []),
    ...(version ? [['version', quoted(version[0])] as const] : []),
    ...(relations.length > 0 ? [['relations', objectText(relations)] as const] : []),
    ...(actions.length > 0 ? [['actions', objectText(actions)] as const] : []),
  ])}`
}
