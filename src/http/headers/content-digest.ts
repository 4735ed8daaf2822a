/** The hash algorithms of RFC 9530 that are both secure and read here. */
export type DigestAlgorithm = 'sha-256' | 'sha-512'

/** Digests in base64, by algorithm. */
export type Digests = ReadonlyMap<DigestAlgorithm, string>

const digestLengths: Readonly<Record<DigestAlgorithm, number>> = { 'sha-256': 32, 'sha-512': 64 }
const member =
  /[\t ]*([a-z*][a-z\d_\-.*]*)(?:=(?::([A-Za-z\d+/]*={0,2}):|(-?\d{1,15})))?((?:;[^,]*)?)[\t ]*(,|$)/y

/**
 * The digests that `Content-Digest` or `Repr-Digest` states (RFC 9530 §2, §3), as far as their
 * algorithms are known here; of one that is stated twice the last counts (RFC 8941 §4.2.2).
 * Undefined when the header is malformed, or a digest has the wrong length: whoever states a digest
 * wants it to be checked.
 */
export function parseDigests(header: string): Digests | undefined {
  const found = new Map<DigestAlgorithm, string>()
  for (const one of membersOf(header) ?? [undefined]) {
    if (one?.digest === undefined) return undefined
    if (!isSupported(one.name)) continue
    const bytes = Buffer.from(one.digest, 'base64')
    if (bytes.length !== digestLengths[one.name]) return undefined
    found.set(one.name, bytes.toString('base64'))
  }
  return found
}

/** The value of `Content-Digest` or `Repr-Digest`, from a digest in hexadecimal. */
export function formatDigest(algorithm: DigestAlgorithm, hex: string): string {
  return `${algorithm}=:${Buffer.from(hex, 'hex').toString('base64')}:`
}

/**
 * Whether `Want-Content-Digest` or `Want-Repr-Digest` asks for this algorithm (RFC 9530 §4): with a
 * weight from 1 to 10. What is malformed asks for nothing.
 */
export function wantsDigest(header: string | undefined, algorithm: DigestAlgorithm): boolean {
  const wished = header === undefined ? undefined : membersOf(header)
  const weight = wished?.findLast((one) => one.name === algorithm)?.weight
  return weight !== undefined && weight > 0 && weight <= 10
}

interface Member {
  readonly name: string
  readonly digest: string | undefined
  readonly weight: number | undefined
}

/** The members of a dictionary (RFC 8941 §3.2) of byte sequences or integers. */
function membersOf(header: string): readonly Member[] | undefined {
  const members: Member[] = []
  let at = 0
  for (;;) {
    member.lastIndex = at
    const [, name, digest, weight, , end] = member.exec(header) ?? []
    if (name === undefined) return undefined
    members.push({ name, digest, weight: weight === undefined ? undefined : Number(weight) })
    if (end === '') return members
    at = member.lastIndex
  }
}

function isSupported(name: string): name is DigestAlgorithm {
  return Object.hasOwn(digestLengths, name)
}
