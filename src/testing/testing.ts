/** Helpers for tests of a service, with any test runner. */
export {
  type Factory,
  type FactoryOptions,
  type FactoryValues,
  factory,
} from './factory/factory.ts'
export {
  type SendBody,
  type TestBody,
  type TestClient,
  type TestClientOptions,
  type TestRequestOptions,
  type TestResponse,
  type TestTarget,
  testClient,
  type UntypedBody,
} from './test-client.ts'
