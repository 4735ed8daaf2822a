import { reopens } from '../../contracts/blob-store/reopening.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import { memoryBlobs } from './memory-blobs.ts'

blobStoreContract(
  'memory',
  async () => {
    const blobs = memoryBlobs()
    return { blobs, chunkBytes: 65_536, listFiles: async () => [], dispose: () => blobs.close() }
  },
  { [reopens]: 'it keeps nothing after the process ends' },
)
