import type { ModelDescription } from '../model/model-description.ts'
import type { RollupObserverOptions } from '../store/rollups/rollup-observers.ts'
import type { Registration } from './registration.ts'

/** Which rollups mappers hide. The version that clients see is that of the whole item then. */
export function hiddenByMappers(
  registered: ReadonlyMap<ModelDescription, Registration>,
): RollupObserverOptions['isHidden'] {
  return (model, { name }) =>
    registered.get(model)?.mappers.some(({ options }) => options.hides?.includes(name)) ?? false
}
