import type { Context } from '../context/context.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import type { SentVersions } from '../operation/sent-versions.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { DocumentServices } from './document-services.ts'
import { type Representer, resolvedRelations, type SentItem } from './represent.ts'
import { UnwritableState } from './unwritable-state.ts'

type SentServices = Pick<DocumentServices, 'mappers' | 'guards' | 'onError'>

/** What clients get of versions of the items of a model. */
export function sentVersions(
  services: SentServices,
  view: ModelView,
  { representPast }: Representer,
): SentVersions {
  const membersOf = async (
    reader: StoreReader,
    items: readonly StoredItem[],
    context: Context,
  ): Promise<readonly (object | undefined)[]> => {
    try {
      return (await representPast(items, context, allFields, reader)).map(withoutVersion)
    } catch (error) {
      if (!(error instanceof UnwritableState)) throw error
      if (items.length === 1) {
        services.onError(error.cause, context)
        return [undefined]
      }
      const members: (object | undefined)[] = []
      for (const item of items) members.push(...(await membersOf(reader, [item], context)))
      return members
    }
  }
  return { membersOf, sentAsStored: fieldsSentAsStored(services, view) }
}

const allFields: ReadonlyMap<string, ReadonlySet<string>> = new Map()

function withoutVersion({ attributes, relations, resources }: SentItem): object {
  return { attributes, relations, resources }
}

/** Those that neither mappers nor rules of related items may change. */
function fieldsSentAsStored(services: SentServices, view: ModelView): ReadonlyMap<string, string> {
  const { model } = view
  if ((services.mappers.get(model) ?? []).length > 0) return new Map()
  const resolved = new Set<unknown>(resolvedRelations(services, model))
  const fields = model.fields.filter(
    (field) => field.kind !== 'inverse' && isReadable(view, field) && !resolved.has(field),
  )
  return new Map(fields.map(({ wireName, name }) => [wireName, name]))
}
