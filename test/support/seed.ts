import fc from 'fast-check'

/**
 * With a seed, property tests try the same values each time: a gate has to say the same of the same
 * commit. Without, each run looks elsewhere.
 */
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== undefined)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED) })
