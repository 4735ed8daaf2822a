import { parameterNamed } from './described-model.ts'
import type { ModelContext } from './item-members.ts'
import type { DescribedAction } from './item-paths.ts'
import { literal, union } from './type-writer.ts'

/** The calls that a model has, by the paths and methods of the document. */
export function callsType(
  { model, isResource }: ModelContext,
  actions: readonly DescribedAction[],
  downloads: readonly string[],
  uploads: readonly string[],
): string {
  const { list, one, belowList, belowItem } = model
  const hasRelations =
    isResource && [...belowItem.keys()].some((path) => /^relationships\//.test(path))
  const writes = one.patch ?? one.put ?? one.delete ?? actions[0]
  const calls: Readonly<Record<string, unknown>> = {
    list: list.get,
    stream: list.get,
    groups: belowList.get('groups'),
    follow: belowList.get('changes'),
    get: one.get,
    create: list.post,
    update: one.patch,
    replace: one.put,
    delete: one.delete,
    isOutdated: writes,
    upload: uploads[0],
    deleteFile: uploads[0],
    download: downloads[0],
    actions: actions[0],
    relations: hasRelations,
  }
  return union(
    Object.keys(calls)
      .filter((name) => calls[name])
      .map(literal),
  )
}

/** Can the list be searched for words? */
export function isSearched({ reader, model }: ModelContext): boolean {
  return parameterNamed(reader, model.list.get, 'search') !== undefined
}
