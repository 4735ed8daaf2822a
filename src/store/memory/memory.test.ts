import { storeContract } from '../../contracts/store-contract.ts'
import { memory } from './memory.ts'

storeContract('memory', async () => {
  const store = memory()
  return { store, dispose: () => store.close() }
})
