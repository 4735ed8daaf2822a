import { describe, expect, it } from 'vitest'
import { check } from './check.ts'
import { toCurl } from './curl.ts'
import { started } from './faulty-service.testing.ts'
import { thingsDocument } from './things-document.testing.ts'

describe('a contract check', () => {
  it('makes what it found small, and shows it as a line for a shell', async () => {
    const base = await started('takes anything')
    const { findings } = await check(thingsDocument, base, { runs: 60, seed: 3 })
    const [finding] = findings.filter((one) => one.kind === 'wrong-request-accepted')
    const line = toCurl(base, finding!.request)
    expect(line).toMatch(/^curl -i --path-as-is -X (POST|PATCH) 'http:\/\/127\.0\.0\.1:\d+\/things/)
    expect(line.length).toBeLessThan(300)
  })

  it('shows what no client would send as a line for a shell, too', async () => {
    const base = await started('takes two hosts')
    const { findings } = await check(thingsDocument, base, { runs: 5, seed: 3 })
    const [finding] = findings.filter((one) => one.kind === 'framing-accepted')
    expect(toCurl(base, finding!.request)).toBe(
      `printf 'GET /things HTTP/1.1\\015\\012host: ${base.host}\\015\\012host: other.example\\015\\012connection: close\\015\\012\\015\\012' | nc 127.0.0.1 ${base.port}`,
    )
  })
})
