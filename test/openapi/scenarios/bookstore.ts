import { memory, memoryBlobs } from 'resourcery/memory'
import { bookstore, jsonApiBookstore } from '../../../examples/bookstore/bookstore.ts'
import type { Scenario } from './scenario.ts'

/** The example service. */
const options = { store: memory(), blobs: memoryBlobs() }

export const theBookstore: Scenario = { name: 'bookstore', router: bookstore(options) }
export const theJsonApiBookstore: Scenario = {
  name: 'bookstore-json-api',
  router: jsonApiBookstore(options),
}
