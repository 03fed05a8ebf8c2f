<?php
// php verify.php "$SIGNATURE_HEADER" < body.json
const TOLERANCE_SECONDS = 300;

/** $rawBody: file_get_contents('php://input'), before any JSON parser has touched it. */
function verify(string $header, string $rawBody, string $secret): bool
{
    $t = '';
    $given = [];
    foreach (explode(',', $header) as $part) {
        [$name, $value] = array_pad(explode('=', trim($part), 2), 2, '');
        if ($name === 't') $t = $value;
        if ($name === 'v1') $given[] = $value;
    }
    if (!preg_match('/^\d+$/D', $t) || abs(time() - (int) $t) > TOLERANCE_SECONDS) return false;
    $wanted = hash_hmac('sha256', $t . '.' . $rawBody, $secret);
    $valid = false;
    foreach ($given as $signature) $valid = hash_equals($wanted, $signature) || $valid;
    return $valid;
}

$valid = verify($argv[1] ?? '', stream_get_contents(STDIN), (string) getenv('WEBHOOK_SECRET'));
echo $valid ? "valid\n" : "invalid: answer 401 and do not process it\n";
exit($valid ? 0 : 1);
