import { reopens } from '../../../test/contract/blob-store/reopening.ts'
import { blobStoreContract } from '../../../test/contract/blob-store.ts'
import { memoryBlobs } from './memory-blobs.ts'

blobStoreContract(
  'memory',
  async () => {
    const blobs = memoryBlobs()
    return { blobs, cut: 65_536, listFiles: async () => [], dispose: () => blobs.close() }
  },
  { [reopens]: 'it keeps nothing after the process ends' },
)
