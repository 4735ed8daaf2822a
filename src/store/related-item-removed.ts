import type { ModelDescription } from '../model/model-description.ts'
import { StoreUnavailable } from './store-failures.ts'

/**
 * Another transaction has removed an item since this one related something to it. A store with
 * several writers at a time runs the work again, as after a violated foreign key.
 */
export class RelatedItemRemoved extends StoreUnavailable {
  override readonly name = 'RelatedItemRemoved'

  constructor({ name }: ModelDescription, id: string) {
    super(`Another transaction removed the ${name} '${id}', to which items of this one relate.`)
  }
}
