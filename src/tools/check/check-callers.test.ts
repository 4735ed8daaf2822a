import { expect, it } from 'vitest'
import { checkAccess } from './access/check-access.ts'
import { callers, type Leak, startLeakyService } from './access/leaky-service.testing.ts'
import { check } from './check.ts'
import { checkCallers } from './check-callers.ts'

async function checkedAsAll(leak: Leak, only?: readonly string[]) {
  const { base, documents } = await startLeakyService(leak)
  const documentAddress = new URL('openapi.json', base)
  const service = { base, documentAddress, document: documents[0]!.document }
  const texts: string[] = []
  const exitCode = await checkCallers(
    { check, checkAccess },
    [service],
    callers,
    { runs: 2, seed: 3, ...(only && { only }) },
    async (_, caller) => documents.find((each) => each.caller === caller)!.document,
    (text) => texts.push(text),
  )
  return { exitCode, text: texts.join('\n') }
}

it('A check as several callers compares them, and checks the document of each', async () => {
  const { exitCode, text } = await checkedAsAll('in lists')
  expect(exitCode).toBe(1)
  expect(text).toContain("hidden-item-shown: /notes, as 'ada'")
  for (const { name } of callers) expect(text).toContain(`As '${name}': `)
})

it('A check as several callers shows no credentials', async () => {
  const { text } = await checkedAsAll('in a header')
  expect(text).toContain("-H 'x-key: <ada>'")
  for (const credential of ['token-of-admin', 'key-of-ada']) expect(text).not.toContain(credential)
})

it('A check as several callers refuses operations that no document has', async () => {
  await expect(checkedAsAll('none', ['getNoet'])).rejects.toThrow("Did you mean 'getNote'?")
})
