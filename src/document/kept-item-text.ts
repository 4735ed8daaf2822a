import { noAnnotations, type OutgoingItem } from '../serializer/outgoing-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ResponseContext } from './response-context.ts'
import { UnwritableState } from './unwritable-state.ts'
import { writePastItem } from './write-past-item.ts'

/**
 * A former version, or a deleted item, as a part of a document. One that mappers cannot handle has
 * its id only: whoever reads the trash has to find it there, to delete it for good.
 */
export async function keptItemText(
  responseContext: ResponseContext,
  item: StoredItem,
): Promise<string> {
  const { endpoint, services, selection, context } = responseContext
  const { model, serializer } = endpoint
  const { isSentAsStored, representPast } = endpoint.representers.get(model)!
  try {
    const [outgoing] = isSentAsStored(selection.fields)
      ? [{ kind: 'stored', item } as const]
      : await representPast([item], context, selection.fields)
    return writePastItem(responseContext, model, outgoing!, item, context)
  } catch (error) {
    if (!(error instanceof UnwritableState)) throw error
    services.onError(error.cause, context)
    return serializer.writeItem(model, withIdOnly(item), services.urlPrefix(), noAnnotations)
  }
}

function withIdOnly({ id }: StoredItem): OutgoingItem {
  return {
    kind: 'mapped',
    id,
    attributes: {},
    relations: {},
    resources: {},
    inverses: [],
    hash: undefined,
    version: undefined,
  }
}
