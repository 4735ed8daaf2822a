import { expect } from 'vitest'
import { serve } from '../../adapter/node.ts'
import { check } from '../../tools/check/check.ts'
import type { PolicySuite } from './harness.ts'

export function checking(suite: PolicySuite): void {
  suite.alone('responds to generated requests as the OpenAPI document says', async ({ router }) => {
    const server = await serve([router], { port: 0 })
    try {
      const document = router.toOpenApi({ info: { title: 'Contract', version: '1' } })
      const report = await check(document, new URL(server.address), { runs: 10, seed: 7 })
      expect(report.findings).toEqual([])
      expect(report.successCount).toBeGreaterThan(report.operationCount)
    } finally {
      await server.close()
    }
  })
}
