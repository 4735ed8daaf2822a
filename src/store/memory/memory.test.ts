import { storeContract } from '../../../test/contract/store.ts'
import { memory } from './memory.ts'

storeContract('memory', async () => {
  const store = memory()
  return { store, dispose: () => store.close() }
})
