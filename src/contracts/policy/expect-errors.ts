import { expect } from 'vitest'
import { errorCatalog } from '../../index.ts'
import type { ContractResponse, PolicyService } from './harness.ts'

/** Expects these errors, in the form of the policy. */
export function expectErrors(
  service: PolicyService,
  response: ContractResponse,
  status: number,
  codes: readonly string[],
): void {
  expect([response.status, service.opened.readErrorCodes(response.document)]).toEqual([
    status,
    codes,
  ])
  expectErrorForm(service, response)
}

/** Expects errors of the catalog, in the form of the policy. */
export function expectErrorForm(
  { opened }: PolicyService,
  { headers, document }: ContractResponse,
): void {
  const type = headers['content-type']!.split(';')[0]
  expect(type).toBe(opened.policy.serializer.errorMediaType)
  for (const code of opened.readErrorCodes(document))
    expect(Object.keys(errorCatalog)).toContain(code)
}
