/**
 * Contract suites for policies, stores and blob stores. They need `vitest`, `fast-check`, `ajv` and
 * `ajv-formats`, and run in a test file of Vitest.
 */
export type { OpenBlobs, OpenedBlobs } from './blob-store/harness.ts'
export { blobStoreContract } from './blob-store-contract.ts'
export type {
  ActionDocuments,
  Ids,
  LinkageDocuments,
  OpenedPolicy,
  OpenPolicy,
  ReceivedItem,
  SentItem,
} from './policy/harness.ts'
export { policyContract } from './policy-contract.ts'
export type { OpenStore } from './store/harness.ts'
export { storeContract } from './store-contract.ts'
