// go run verify.go "$SIGNATURE_HEADER" < body.json
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// Verify takes the body as it came, before any JSON parser has touched it.
func Verify(header string, rawBody []byte, secret string) bool {
	t, given := "", [][]byte{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" {
			t = value
		} else if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			given = append(given, signature)
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(rawBody)
	wanted, valid := mac.Sum(nil), false
	for _, signature := range given {
		valid = hmac.Equal(wanted, signature) || valid
	}
	return valid
}

func main() {
	header := strings.Join(os.Args[1:], "")
	body, err := io.ReadAll(os.Stdin)
	if err != nil || !Verify(header, body, os.Getenv("WEBHOOK_SECRET")) {
		fmt.Println("invalid: answer 401 and do not process it")
		os.Exit(1)
	}
	fmt.Println("valid")
}
