import { describe, expect, it } from 'vitest'
import { formatAccessReport } from '../check-callers.ts'
import { checkAccess } from './check-access.ts'
import { callers, type Leak, startLeakyService } from './leaky-service.testing.ts'

async function checked(leak: Leak) {
  const { base, documents } = await startLeakyService(leak)
  const report = await checkAccess(documents, base, { seed: 3 })
  return { report, text: formatAccessReport(report, base) }
}

describe('A check of access', () => {
  it('finds nothing wrong with a service that hides what it hides', async () => {
    const { report, text } = await checked('none')
    expect(report.findings).toEqual([])
    expect(report.hiddenItemCount).toBe(4)
    expect(text).toContain('No caller learns of what is hidden from it.')
  })

  const canaries: readonly (readonly [Leak, string])[] = [
    ['in lists', 'hidden-item-shown'],
    ['in linkage', 'hidden-item-shown'],
    ['in links', 'hidden-item-shown'],
    ['in counts', 'count-differs'],
    ['by 403', 'hidden-item-detectable'],
    ['below the item', 'hidden-item-detectable'],
    ['by 304', 'hidden-item-detectable'],
    ['by 412', 'hidden-item-detectable'],
    ['by 412 of writes', 'hidden-item-detectable'],
    ['by writes', 'hidden-item-detectable'],
    ['by validation first', 'hidden-item-detectable'],
    ['by HEAD', 'hidden-item-detectable'],
    ['in a header', 'hidden-item-detectable'],
    ['in the message', 'hidden-item-detectable'],
    ['by the filter of ids', 'hidden-item-detectable'],
    ['by the filter of a relation', 'hidden-item-detectable'],
    ['by the filter of a field for admins', 'hidden-field-known'],
    ['by the sort of a field for admins', 'hidden-field-known'],
    ['by the filter of a field of the owner', 'hidden-field-known'],
    ['by the sort of a field of the owner', 'hidden-field-known'],
    ['by links to the item', 'hidden-item-detectable'],
    ['by the tag', 'hidden-field-known'],
    ['a member for admins', 'hidden-field-shown'],
  ]
  it.each(canaries)('finds a service that leaks «%s»', async (leak, kind) => {
    const { report, text } = await checked(leak)
    expect(report.findings.map((finding) => finding.kind)).toContain(kind)
    expect(report.findings.map((finding) => finding.caller)).not.toContain('admin')
    expect(text).toContain(`${kind}: `)
    for (const { headers } of callers)
      for (const value of Object.values(headers))
        expect(text).not.toContain(value.split(' ').at(-1))
  })
})
