import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { noAnnotations, type OutgoingItem } from '../serializer/outgoing-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ChangesContext } from './response-context.ts'
import { unwritableOr } from './unwritable-state.ts'

/**
 * Writes what mappers made of an item that was stored once.
 * @throws UnwritableState where that is no JSON
 */
export function writePastItem(
  { endpoint: { serializer }, services }: Pick<ChangesContext, 'endpoint' | 'services'>,
  model: ModelDescription,
  outgoing: OutgoingItem,
  item: StoredItem,
  context: Context,
): string {
  try {
    return serializer.writeItem(model, outgoing, services.urlPrefix(), noAnnotations)
  } catch (error) {
    throw unwritableOr(error, item, context)
  }
}
